/** The frame of a shared crawl, which marks each screen as shared, and the notices of its address. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, addressQuery, segments } from '../data/address.ts'
import { useCommand } from '../data/reading.ts'
import { type OpenSession, openShare, session, signedOut, signOut } from '../data/session.ts'
import { isScreenOf, type Shared } from '../data/share.ts'
import { Screen } from '../parts/layout.tsx'
import { Empty, Fault } from '../parts/messages.tsx'
import { ThemeChoice } from '../parts/theme-choice.tsx'

export function SharedFrame({ shared, children }: { shared: Shared; children: ComponentChildren }) {
  const leave = useCommand(signOut)
  const home = addressOf(`/crawls/${shared.run}`)
  return (
    <div class="shared-frame">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="shared-head">
        <a class="brand" href={home}>
          Tidemark
        </a>
        <p class="shared-mark">
          Shared, read only, until <time dateTime={shared.until}>{timeOf(shared.until)}</time>
        </p>
        <div class="shared-foot">
          <ThemeChoice />
          <button type="button" class="link" onClick={() => void leave.run()}>
            Close
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Fault error={leave.error.value} />
        {isScreenOf(shared, segments.value ?? [], addressQuery.value) ? children : <Outside home={home} />}
      </main>
    </div>
  )
}

const timeOf = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const Outside = ({ home }: { home: string }) => (
  <Screen title="Not shared">
    <Empty title="The share has one crawl, and this address is not a part of it.">
      <a href={home}>Open the shared crawl</a>
    </Empty>
  </Screen>
)

/** Offers a shared crawl to a reader with a session, which it would replace. */
export function ShareOffer({ share, current }: { share: string; current: OpenSession }) {
  const command = useCommand(() => openShare(share))
  useTitle('Shared crawl')
  return (
    <main class="sign-in" id="main">
      <div class="sign-in-box">
        <p class="brand">Tidemark</p>
        <h1>Shared crawl</h1>
        <p role="status">
          You are signed in with <code>{current.prefix}…</code>. The shared crawl opens without a key, and
          ends this session.
        </p>
        <button type="button" class="main" disabled={command.isRunning} onClick={() => void command.run()}>
          Open the shared crawl
        </button>
        <button type="button" onClick={() => (session.value = current)}>
          Keep my session
        </button>
        <Fault error={command.error.value} />
      </div>
    </main>
  )
}

/** Says that a shared address opens nothing, and why. */
export function ShareEnded({ error }: { error: unknown }) {
  useTitle('Shared crawl')
  return (
    <main class="sign-in" id="main">
      <div class="sign-in-box">
        <p class="brand">Tidemark</p>
        <h1>This shared address does not open a crawl</h1>
        {typeof error === 'string' ? <p role="status">{error}</p> : <Fault error={error} />}
        <p class="quiet">
          A shared address ends at its time, with the key that made it or with the crawl, or when its project
          ends it. It must be copied as a whole.
        </p>
        <button type="button" onClick={() => signedOut(null)}>
          Sign in with a key
        </button>
      </div>
    </main>
  )
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tidemark`
  }, [title])
}
