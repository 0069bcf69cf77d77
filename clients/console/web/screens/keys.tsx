/** The keys of the project: their use, a new one, and their end. */
import { useSignal } from '@preact/signals'
import type { ApiKey } from '@tidemark/sdk'
import { rotateKeys, tidemark } from '../data/client.ts'
import { useCommand, useReading } from '../data/reading.ts'
import { session } from '../data/session.ts'
import { keyState } from '../data/words.ts'
import { Choice, Input } from '../parts/controls.tsx'
import { FreshKey } from '../parts/fresh-key.tsx'
import { CommandButton, Field, Panel, Screen, submitting } from '../parts/layout.tsx'
import { Mark, Time } from '../parts/marks.tsx'
import { Fault, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'

export function Keys() {
  const keys = useReading(signal => tidemark.keys.list({ signal }), [])
  return (
    <Screen title="Keys" call={{ id: 'listKeys' }}>
      <Panel title="New key">
        <Rotate onDone={keys.reload} />
      </Panel>
      <Panel title="Keys of the project" isFlush>
        <Waiting reading={keys} what="keys" />
        {keys.data && (
          <Table
            caption="Keys"
            columns={columnsOf(keys.reload)}
            rows={keys.data.items}
            rowKey={({ prefix }) => prefix}
          />
        )}
      </Panel>
    </Screen>
  )
}

const graces = [
  ['3600', 'in an hour'],
  ['86400', 'in a day'],
  ['0', 'now'],
] as const

function Rotate({ onDone }: { onDone: () => void }) {
  const label = useSignal('')
  const grace = useSignal('86400')
  const rotating = useCommand(async () => {
    await rotateKeys({ label: label.value, graceSeconds: Number(grace.value) })
    onDone()
  })
  const send = submitting(() => {
    if (
      window.confirm(
        'Create a new key? All other keys of the project, also that of this session, end after the time chosen.',
      )
    )
      void rotating.run()
  })
  return (
    <form class="form" onSubmit={send}>
      <Field label="Name of the new key">{id => <Input id={id} value={label} isOptional />}</Field>
      <Field label="Other keys end">
        {id => (
          <Choice
            {...{ id, value: grace.value, choices: graces }}
            onChoose={value => {
              grace.value = value
            }}
          />
        )}
      </Field>
      <div class="form-foot">
        <button type="submit" disabled={rotating.isRunning}>
          Create a new key
        </button>
      </div>
      <Fault error={rotating.error.value} />
      <FreshKey />
    </form>
  )
}

const columnsOf = (reload: () => void): Column<ApiKey>[] => [
  {
    key: 'prefix',
    label: 'Key',
    cell: ({ prefix }) => (
      <>
        <code>{prefix}…</code>
        {session.value.state === 'in' && session.value.prefix === prefix && (
          <div class="quiet">this session</div>
        )}
      </>
    ),
  },
  { key: 'label', label: 'Name', isMain: true, cell: ({ label }) => label },
  { key: 'state', label: 'State', isMinor: true, cell: key => <Mark state={keyState(key)} /> },
  { key: 'used', label: 'Last used', isMinor: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { key: 'created', label: 'Created', isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    key: 'expires',
    label: 'Ends',
    isMinor: true,
    cell: ({ expires_at, revoked_at }) => <Time at={revoked_at ?? expires_at} />,
  },
  {
    key: 'do',
    label: 'Commands',
    cell: key => keyState(key) === 'active' && <Revoke prefix={key.prefix} onDone={reload} />,
  },
]

function Revoke({ prefix, onDone }: { prefix: string; onDone: () => void }) {
  const revoking = useCommand(async () => {
    await tidemark.keys.revoke(prefix)
    onDone()
  })
  return (
    <CommandButton
      command={revoking}
      kind="danger"
      confirm={`Revoke ${prefix}…? Every program with this key stops working at once.`}
    >
      Revoke
    </CommandButton>
  )
}
