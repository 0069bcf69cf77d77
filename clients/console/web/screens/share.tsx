/** Makes a read-only address of a crawl, for people without a key, and ends all of them. */
import { useSignal } from '@preact/signals'
import type { CrawlShare } from '@tidemark/sdk'
import { tidemark } from '../data/client.ts'
import { copyText } from '../data/clipboard.ts'
import { useCommand } from '../data/reading.ts'
import { Choice } from '../parts/controls.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { CommandButton, Field, Panel } from '../parts/layout.tsx'
import { Time } from '../parts/marks.tsx'

const lifetimes = [
  ['1', '1 hour'],
  ['24', '1 day'],
  ['168', '7 days'],
  ['720', '30 days'],
] as const

export function SharePanel({ id }: { id: number }) {
  const hours = useSignal('168')
  const share = useSignal<CrawlShare | null>(null)
  const isCopied = useSignal(false)
  const body = { expires_in_hours: Number(hours.value) }
  const make = useCommand(async () => {
    share.value = null
    isCopied.value = false
    share.value = await tidemark.crawls.share(id, body)
  })
  const copy = useCommand(async () => {
    await copyText(share.value?.url ?? '')
    isCopied.value = true
  })
  return (
    <Panel title="Share this crawl">
      <div class="share-panel">
        <p>
          The address shows this crawl without a key: pages, coverage, errors, links and changes, and nothing
          else of the project. It also ends when your key is revoked. Nothing is billed.
        </p>
        <div class="search">
          <Field label="Ends after">
            {field => (
              <Choice
                {...{ id: field, value: hours.value, choices: lifetimes }}
                onChoose={value => (hours.value = value)}
              />
            )}
          </Field>
          <CommandButton command={make} kind="main">
            Create address
          </CommandButton>
          <EndAll id={id} onEnded={() => (share.value = null)} />
        </div>
        {share.value && (
          <div class="search" role="status">
            <Field label="Address" isWide>
              {field => (
                <input
                  id={field}
                  readOnly
                  value={share.value?.url}
                  onFocus={event => event.currentTarget.select()}
                />
              )}
            </Field>
            <CommandButton command={copy}>{isCopied.value ? 'Copied' : 'Copy address'}</CommandButton>
            <p class="form-note">
              Ends <Time at={share.value.expires_at} />
            </p>
          </div>
        )}
        <CopyAs call={{ id: 'shareCrawl', path: { id }, body }} />
      </div>
    </Panel>
  )
}

function EndAll({ id, onEnded }: { id: number; onEnded: () => void }) {
  const isEnded = useSignal(false)
  const end = useCommand(async () => {
    isEnded.value = false
    await tidemark.crawls.endShares(id)
    isEnded.value = true
    onEnded()
  })
  return (
    <>
      <CommandButton
        command={end}
        kind="danger"
        confirm="End every address of this crawl that was made until now? Open ones close."
      >
        End all addresses
      </CommandButton>
      {isEnded.value && <p role="status">All addresses made until now have ended.</p>}
    </>
  )
}
