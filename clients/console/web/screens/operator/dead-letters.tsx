/** Dead letters by their consumer, with the commands that explain and repair them. */
import type { ComponentChildren } from 'preact'
import type { DeadLetterState, Overview } from '../../data/operator.ts'
import { count, counted } from '../../data/words.ts'
import { Panel } from '../../parts/layout.tsx'
import { Time } from '../../parts/marks.tsx'
import { Empty } from '../../parts/messages.tsx'

type Props = { part: Overview['dead_letters']; missing: ComponentChildren }

export const DeadLetters = ({ part: { items, total, available }, missing }: Props) => (
  <Panel title="Dead letters" aside={total !== null && <span class="quiet">{count(total)}</span>}>
    {missing}
    {items.length === 0 && available && <Empty title="Every message was handled." />}
    {items.length > 0 && (
      <ul class="letters">
        {items.map(item => (
          <Group key={item.stream + item.consumer} item={item} />
        ))}
      </ul>
    )}
  </Panel>
)

const Group = ({
  item: { service, stream, consumer, letters, newest, show, repair },
}: {
  item: DeadLetterState
}) => (
  <li>
    <p>
      <strong>{service ?? consumer}</strong> gave up {counted(letters, 'message')} of <code>{stream}</code>
      {consumer !== service && (
        <>
          {' '}
          as <code>{consumer}</code>
        </>
      )}
    </p>
    {newest && (
      <p class="quiet">
        The newest at <Time at={newest.at} />: {newest.reason}
      </p>
    )}
    <dl>
      {show && <Command name="Explain" text={show} />}
      {repair ? (
        <Command name="Repair" text={repair} />
      ) : (
        <div>
          <dt>Repair</dt>
          <dd class="quiet">Nothing repeats this work.</dd>
        </div>
      )}
    </dl>
  </li>
)

const Command = ({ name, text }: { name: string; text: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <code>{text}</code>
    </dd>
  </div>
)
