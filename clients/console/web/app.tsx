/** The frame around all screens, and the table of screens by address. */
import { useEffect } from 'preact/hooks'
import { addressOf, base, openScreen, segments } from './data/address.ts'
import { useCommand } from './data/reading.ts'
import { type OpenSession, session, signOut } from './data/session.ts'
import { Screen } from './parts/layout.tsx'
import { Empty, Fault } from './parts/messages.tsx'
import { ThemeChoice } from './parts/theme-choice.tsx'
import { Audit } from './screens/audit/audit.tsx'
import { Cloud } from './screens/cloud/cloud.tsx'
import { Deliveries } from './screens/deliveries.tsx'
import { Diff } from './screens/diff.tsx'
import { Explain } from './screens/explain.tsx'
import { Home } from './screens/home.tsx'
import { Keys } from './screens/keys.tsx'
import { Links } from './screens/links.tsx'
import { Log } from './screens/log.tsx'
import { MonitorRuns } from './screens/monitor-runs.tsx'
import { Monitors } from './screens/monitors.tsx'
import { Operator } from './screens/operator/operator.tsx'
import { Page } from './screens/page.tsx'
import { Pages } from './screens/pages.tsx'
import { Run } from './screens/run.tsx'
import { RunErrors } from './screens/run-errors.tsx'
import { Scan } from './screens/scan.tsx'
import { SharedFrame, ShareEnded, ShareOffer } from './screens/shared.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { Usage } from './screens/usage.tsx'
import { Webhooks } from './screens/webhooks.tsx'

const projectDestinations = [
  { name: 'Crawls', path: '/', key: 'h' },
  { name: 'Scan', path: '/scan', key: 's' },
  { name: 'Cloud', path: '/cloud', key: 'c' },
  { name: 'Changes', path: '/diff', key: 'd' },
  { name: 'Monitors', path: '/monitors', key: 'm' },
  { name: 'Webhooks', path: '/webhooks', key: 'w' },
  { name: 'Usage', path: '/usage', key: 'u' },
  { name: 'Keys', path: '/keys', key: 'k' },
  { name: 'Log', path: '/log', key: 'l' },
] as const

const operatorDestinations = [{ name: 'Operator', path: '/operator', key: 'o' }] as const

type Destination = (typeof projectDestinations)[number] | (typeof operatorDestinations)[number]

export function App() {
  if (session.value.state === 'unknown') return <p class="opening">Tidemark</p>
  if (session.value.state === 'share-ended') return <ShareEnded error={session.value.error} />
  if (session.value.state === 'share-offered') return <ShareOffer {...session.value} />
  if (session.value.state === 'in' && session.value.shared !== null)
    return (
      <SharedFrame shared={session.value.shared}>
        <Shown />
      </SharedFrame>
    )
  if (session.value.state === 'in') return <SignedIn session={session.value} />
  // Each offered key gets a new form.
  return <SignIn key={session.value.state === 'offered' ? session.value.key : ''} />
}

function SignedIn({ session: { role, prefix, tier } }: { session: OpenSession }) {
  const isOperator = role === 'operator'
  const destinations: readonly Destination[] = isOperator ? operatorDestinations : projectDestinations
  useShortcuts(destinations)
  const leave = useCommand(signOut)
  const [first = ''] = segments.value ?? []
  const current = first === 'crawls' ? '' : first || (isOperator ? 'operator' : '')
  // On a phone the navigation scrolls sideways.
  useEffect(
    () =>
      document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [current],
  )
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href={base}>
          Tidemark
        </a>
        <nav aria-label="Main">
          {destinations.map(({ name, path, key }) => (
            <a
              key={path}
              href={addressOf(path)}
              aria-current={path === `/${current}` ? 'page' : undefined}
              title={`g ${key}`}
            >
              {name}
            </a>
          ))}
        </nav>
        <div class="side-foot">
          <span class="who">{isOperator ? 'Operator' : <Key prefix={prefix} tier={tier} />}</span>
          <ThemeChoice />
          <a href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>
          <button type="button" class="link" onClick={() => void leave.run()}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Fault error={leave.error.value} />
        {isOperator ? <ShownToOperator /> : <Shown />}
      </main>
    </div>
  )
}

const Key = ({ prefix, tier }: { prefix: string; tier: string }) => (
  <>
    <code>{prefix}…</code> <span class="quiet">{tier}</span>
  </>
)

function Shown() {
  const [first = '', second = '', third = '', fourth = ''] = segments.value ?? []
  const id = Number(second)
  if (first === 'crawls' && Number.isInteger(id) && id > 0) {
    // The key resets the screen for another crawl, so that a share address is never shown with the wrong crawl.
    if (third === '') return <Run key={id} id={id} />
    if (third === 'pages' && fourth !== '') return <Page run={id} id={Number(fourth)} />
    if (third === 'pages') return <Pages id={id} />
    if (third === 'errors') return <RunErrors id={id} />
    if (third === 'links') return <Links id={id} />
    if (third === 'audit') return <Audit id={id} />
    if (third === 'explain') return <Explain id={id} />
    if (third === 'deliveries') return <Deliveries id={id} />
  }
  if (first === 'monitors' && second !== '') return <MonitorRuns id={id} />
  const Found = second === '' ? screens[first] : undefined
  return Found ? <Found /> : <Missing />
}

/** Shows the only screen of an operator, which is also the start screen. */
function ShownToOperator() {
  const [first = 'operator', ...others] = segments.value ?? []
  return first === 'operator' && others.length === 0 ? (
    <Operator />
  ) : (
    <Missing home="The state of the installation" />
  )
}

const screens: Record<string, () => preact.JSX.Element> = {
  '': Home,
  scan: Scan,
  cloud: Cloud,
  diff: Diff,
  monitors: Monitors,
  webhooks: Webhooks,
  usage: Usage,
  keys: Keys,
  log: Log,
}

const Missing = ({ home = 'All crawls' }: { home?: string }) => (
  <Screen title="No such screen">
    <Empty title="This address is not a screen of the console.">
      <a href={base}>{home}</a>
    </Empty>
  </Screen>
)

/** `g` and a letter opens a screen, `/` goes to the first field. */
function useShortcuts(destinations: readonly Destination[]): void {
  useEffect(() => {
    let isLeading = false
    const press = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).matches?.('input, textarea, select')
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      const destination = isLeading ? destinations.find(({ key }) => key === event.key) : undefined
      isLeading = event.key === 'g'
      if (destination !== undefined) openScreen(addressOf(destination.path))
      else if (event.key === '/') {
        event.preventDefault()
        document.querySelector<HTMLElement>('main input')?.focus()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [destinations])
}
