import { createHash } from 'node:crypto'
import { connect } from '@nats-io/transport-node'
import { answer, ask } from '@tidemark/bus/ask'
import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { readStream } from '@tidemark/bus/read'
import { serverOf } from '@tidemark/bus/server'
import { type ServiceName, services } from '@tidemark/contracts/services'
import { asks, subjects, tells } from '@tidemark/contracts/subjects'
import { throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { declareStreams } from './declare.ts'
import { authorization, permissionsOf } from './permissions.ts'
import { administrator } from './users.ts'

const passwordOf = (user: string) => createHash('sha256').update(user).digest('hex')

/** Who may say what: written down a second time, by hand, and everybody else is refused. */
const speakers: Record<string, ServiceName[]> = {
  'runs.07.7.crawl': ['crawl-coordinator'],
  'runs.07.7.site': ['extractor'],
  'runs.07.7.webhook': ['webhook'],
  'runs.07.7.other': [],
  'fetch.http': ['crawl-coordinator'],
  'pages.07': ['fetcher'],
  'outcomes.07': ['fetcher', 'extractor'],
  'served.7': ['gateway'],
  'audit.7': ['gateway'],
  'usage.7': ['usage-ledger'],
  'accounts.7': ['auth-billing'],
  'monitors.7': ['scheduler'],
  [subjects.deliveries]: ['webhook'],
  'dead.FETCH.fetcher-http': ['fetcher'],
  'dead.PAGES.extractor': ['extractor'],
  'dead.RUNS.runs': ['projector', 'extractor', 'webhook', 'usage-ledger'],
  'dead.ACCOUNTS.accounts': ['projector'],
  'dead.USAGE.ledger': ['usage-ledger'],
  [asks.startRun]: ['gateway', 'scheduler'],
  [asks.deleteRun]: ['gateway'],
  [asks.findKey]: ['gateway'],
  [asks.createProject]: [],
  [asks.setProject]: [],
  [asks.setKey]: [],
  [asks.createKey]: [],
  [asks.resendMails]: [],
  [asks.closeAccount]: [],
  [asks.forgetMonitors]: [],
  [asks.forgetSecrets]: [],
  [asks.forgetCalls]: [],
  [asks.keptRuns]: ['crawl-coordinator'],
  [asks.reserveUnits]: ['gateway'],
  [asks.holdUnits]: ['crawl-coordinator'],
  [asks.webhookSecret]: ['gateway'],
  [asks.redeliver]: ['gateway'],
  [asks.fetchNow]: ['extractor'],
  [asks.renderNow]: ['extractor'],
  [asks.searchWeb]: ['gateway'],
  [asks.getPage]: ['gateway'],
  [asks.scanPage]: ['gateway'],
  [asks.createMonitor]: ['gateway'],
  [tells.keysChanged]: ['auth-billing'],
  [tells.projected('runs')]: ['projector'],
  [tells.heartbeat('fetcher')]: ['fetcher'],
  '_INBOX.gateway.x': [],
  '$JS.API.STREAM.DELETE.RUNS': [],
  '$JS.API.STREAM.UPDATE.RUNS': [],
  '$JS.API.STREAM.CREATE.MINE': [],
  '$JS.API.STREAM.MSG.DELETE.RUNS': [],
  // Whoever leads the stream is asked for a message, and no other.
  '$JS.API.DIRECT.GET.RUNS': [],
  '$JS.API.DIRECT.GET.FETCH': [],
  '$JS.API.DIRECT.GET.RUNS.runs.07.7.crawl': [],
  '$JS.API.DIRECT.GET.OBJ_BULKY': [],
  '$JS.API.STREAM.MSG.GET.FETCH': ['gateway', 'crawl-coordinator', 'fetcher'],
  '$JS.API.STREAM.PURGE.RUNS': ['crawl-coordinator'],
  '$JS.API.STREAM.PURGE.PAGES': ['fetcher'],
  '$JS.API.STREAM.PURGE.OUTCOMES': ['fetcher', 'extractor'],
  '$JS.API.STREAM.PURGE.ACCOUNTS': [],
  '$JS.API.CONSUMER.CREATE.RUNS': [
    'gateway',
    'projector',
    'crawl-coordinator',
    'extractor',
    'webhook',
    'usage-ledger',
  ],
  '$JS.API.CONSUMER.CREATE.ACCOUNTS': ['projector'],
  '$JS.API.CONSUMER.CREATE.AUDIT': ['projector'],
  '$JS.API.CONSUMER.MSG.NEXT.FETCH.fetcher-http': ['fetcher'],
  '$JS.API.CONSUMER.MSG.NEXT.PAGES.extractor': ['extractor'],
  '$JS.ACK.PAGES.extractor.1.1.1.1.0': ['extractor'],
  '$O.BULKY.C.x': ['gateway', 'fetcher', 'extractor'],
}

/** Who may listen where. */
const listeners: Record<string, ServiceName[]> = {
  '>': [],
  '_INBOX.>': [],
  '_INBOX.gateway.>': ['gateway'],
  '_INBOX.fetcher.x': ['fetcher'],
  'runs.>': [],
  'accounts.*': [],
  [asks.startRun]: ['crawl-coordinator'],
  [asks.findKey]: ['auth-billing'],
  [asks.webhookSecret]: ['webhook'],
  [asks.fetchNow]: ['fetcher'],
  [asks.renderNow]: ['fetcher'],
  [asks.getPage]: ['extractor'],
  [tells.heartbeats]: [...services],
}

test('The users of the bus', async t => {
  const server = await throwawayNats(authorization(passwordOf, administrator), {
    user: administrator,
    pass: passwordOf(administrator),
  })
  t.teardown(() => server.stop())
  const urlAs = (user: string) => server.url.replace('//', `//${user}:${passwordOf(user)}@`)
  await declareStreams(urlAs(administrator))

  /** What the server has refused to this service, of all that is tried. */
  async function refusedTo(service: ServiceName): Promise<Set<string>> {
    const nc = await connect(serverOf(urlAs(service)))
    const refused = new Set<string>()
    const watching = (async () => {
      for await (const status of nc.status()) {
        const subject = status.type === 'error' && Reflect.get(status.error, 'subject')
        if (subject) refused.add(`${Reflect.get(status.error, 'operation')} ${subject}`)
      }
    })()
    for (const subject of Object.keys(speakers)) nc.publish(subject)
    for (const subject of Object.keys(listeners)) nc.subscribe(subject, { callback: () => {} })
    await nc.flush()
    await nc.close()
    await watching
    return refused
  }

  await t.test('say and hear what is theirs, and nothing else', async t => {
    await Promise.all(
      services.map(async service => {
        const expected = [
          ...Object.keys(speakers)
            .filter(subject => !speakers[subject]?.includes(service))
            .map(subject => `publish ${subject}`),
          ...Object.keys(listeners)
            .filter(subject => !listeners[subject]?.includes(service))
            .map(subject => `subscription ${subject}`),
        ]
        t.strictSame([...(await refusedTo(service))].sort(), expected.sort(), service)
      }),
    )
  })

  t.test('leave nothing unsaid: every question and every tell has who may say it', async t => {
    const administrators: string[] = [
      asks.createProject,
      asks.setProject,
      asks.createKey,
      asks.setKey,
      asks.resendMails,
      asks.closeAccount,
      asks.forgetMonitors,
      asks.forgetSecrets,
      asks.forgetCalls,
    ]
    const said = services.flatMap(service => permissionsOf(service).publish.allow)
    const isSaid = (subject: string) =>
      said.some(pattern =>
        new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`).test(subject),
      )
    const all = [...Object.values(asks), ...Object.values(tells)].filter(
      subject => typeof subject === 'string',
    )
    const concrete = all.filter(subject => !subject.includes('*'))
    t.strictSame(
      concrete.filter(subject => !administrators.includes(subject) && !isSaid(subject)),
      [],
    )
  })

  await t.test('append, read, ask and answer as they must', async t => {
    const report = (error: unknown) => t.fail(String(error))
    const stop = new AbortController()
    await using stack = new AsyncDisposableStack()
    const busOf = async (name: ServiceName) =>
      stack.adopt(await openBus({ url: urlAs(name), name }), bus => bus.close())
    const [gateway, ledger, projector] = await Promise.all([
      busOf('gateway'),
      busOf('usage-ledger'),
      busOf('projector'),
    ])
    const { signal } = stop
    const asked = { parse: () => null, signal, report }
    const answering = answer(ledger, asks.readUsage, 'usage-ledger', async () => ({ is: 'answered' }), asked)
    await ledger.nc.flush()
    t.strictSame(await ask(gateway, asks.readUsage, null, { timeoutMs: 5_000 }), { is: 'answered' })
    await publish(gateway, subjects.audit(7), 'a call')
    await readStream(projector, { stream: 'AUDIT', from: 1, signal, report }, async ([message]) => {
      t.equal(message?.subject, 'audit.7')
      stop.abort()
    })
    await answering
  })

  await t.test('come in with their password alone', async t => {
    for (const servers of [server.url, urlAs('fetcher').replace(/:[0-9a-f]{64}@/, ':wrong@')])
      await t.rejects(connect({ ...serverOf(servers), reconnect: false }), { name: 'AuthorizationError' })
  })
})
