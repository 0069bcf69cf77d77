import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect } from '@nats-io/transport-node'
import { openBus } from '@tidemark/bus/connection'
import { publish } from '@tidemark/bus/publish'
import { readStream } from '@tidemark/bus/read'
import { call, serve } from '@tidemark/bus/rpc'
import { serverOf } from '@tidemark/bus/server'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { rpcs } from '@tidemark/contracts/rpc/all'
import * as batchesRpc from '@tidemark/contracts/rpc/batches'
import * as cloudRpc from '@tidemark/contracts/rpc/cloud'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import * as keysRpc from '@tidemark/contracts/rpc/keys'
import * as mailsRpc from '@tidemark/contracts/rpc/mails'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import * as searchRpc from '@tidemark/contracts/rpc/search'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'
import { type ServiceName, services } from '@tidemark/contracts/services'
import { notifications, subjects } from '@tidemark/contracts/subjects'
import { throwawayNats } from '@tidemark/testing/servers'
import { test } from 'tap'
import { declareStreams } from './declare.ts'
import { authorization, permissionsOf } from './permissions.ts'
import { administrator } from './users.ts'

const passwordOf = (user: string) => createHash('sha256').update(user).digest('hex')

/** The permissions of every user, written a second time by hand; all others are refused. */
const speakers: Record<string, ServiceName[]> = {
  'runs.07.7.crawl': ['crawl-coordinator'],
  'runs.07.7.site': ['extractor'],
  'runs.07.7.webhook': ['webhook'],
  'runs.07.7.other': [],
  'fetch.http': ['crawl-coordinator'],
  'pages.07': ['fetcher'],
  'outcomes.07': ['fetcher', 'extractor'],
  'served.7': ['gateway', 'projector', 'extractor'],
  'audit.7': ['gateway'],
  'usage.7': ['usage-ledger'],
  'accounts.7': ['auth-billing'],
  'monitors.7': ['scheduler'],
  'exports.7': ['extractor'],
  [subjects.deliveries]: ['webhook'],
  'dead.FETCH.fetcher-http': ['fetcher'],
  'dead.PAGES.extractor': ['extractor'],
  'dead.RUNS.runs': ['projector', 'extractor', 'webhook', 'usage-ledger'],
  'dead.ACCOUNTS.accounts': ['projector'],
  'dead.USAGE.ledger': ['usage-ledger'],
  [runsRpc.startRun.subject]: ['gateway', 'scheduler'],
  [runsRpc.deleteRun.subject]: ['gateway'],
  [accountsRpc.findKey.subject]: ['gateway'],
  [accountsRpc.createProject.subject]: [],
  [accountsRpc.setProject.subject]: [],
  [accountsRpc.setKey.subject]: [],
  [keysRpc.createKey.subject]: [],
  [mailsRpc.resendMails.subject]: [],
  [forgetRpc.closeAccount.subject]: [],
  [forgetRpc.forgetMonitors.subject]: [],
  [forgetRpc.forgetSecrets.subject]: [],
  [forgetRpc.forgetCalls.subject]: [],
  [forgetRpc.keptRuns.subject]: ['crawl-coordinator'],
  [usageRpc.reserveUnits.subject]: ['gateway'],
  [usageRpc.holdUnits.subject]: ['crawl-coordinator'],
  [webhookRpc.webhookSecret.subject]: ['gateway'],
  [webhookRpc.redeliver.subject]: ['gateway'],
  [fetchRpc.fetchNow.subject]: ['extractor'],
  [fetchRpc.renderNow.subject]: ['extractor'],
  [searchRpc.searchWeb.subject]: ['gateway'],
  [cloudRpc.getPage.subject]: ['gateway'],
  [contentRpc.scanPage.subject]: ['gateway'],
  [batchesRpc.readBatchPage.subject]: ['extractor'],
  [monitorsRpc.createMonitor.subject]: ['gateway'],
  [operatorRpc.throttledHosts.subject]: ['gateway'],
  [operatorRpc.lags.webhook.subject]: ['gateway'],
  [notifications.keysChanged]: ['auth-billing'],
  [notifications.projected('runs')]: ['projector'],
  [notifications.heartbeat('fetcher')]: ['fetcher'],
  '_INBOX.gateway.x': [],
  '$JS.API.STREAM.DELETE.RUNS': [],
  '$JS.API.STREAM.UPDATE.RUNS': [],
  '$JS.API.STREAM.CREATE.MINE': [],
  '$JS.API.STREAM.MSG.DELETE.RUNS': [],
  // Messages come from the leader of the stream only.
  '$JS.API.DIRECT.GET.RUNS': [],
  '$JS.API.DIRECT.GET.FETCH': [],
  '$JS.API.DIRECT.GET.RUNS.runs.07.7.crawl': [],
  '$JS.API.DIRECT.GET.OBJ_BULKY': [],
  '$JS.API.STREAM.MSG.GET.FETCH': ['gateway', 'crawl-coordinator', 'fetcher'],
  '$JS.API.STREAM.MSG.GET.DEAD': ['gateway'],
  '$JS.API.STREAM.INFO.DEAD': ['gateway'],
  '$JS.API.CONSUMER.LIST.FETCH': ['gateway'],
  '$JS.API.CONSUMER.LIST.OUTCOMES': ['gateway'],
  '$JS.API.CONSUMER.LIST.RUNS': [],
  '$JS.API.CONSUMER.CREATE.DEAD': [],
  '$JS.API.STREAM.PURGE.DEAD': [],
  '$JS.API.STREAM.PURGE.RUNS': ['crawl-coordinator'],
  '$JS.API.STREAM.PURGE.PAGES': ['fetcher'],
  '$JS.API.STREAM.PURGE.OUTCOMES': ['fetcher', 'extractor'],
  '$JS.API.STREAM.PURGE.EXPORTS': ['extractor'],
  '$JS.API.STREAM.PURGE.BATCHES': ['extractor'],
  'batches.7': ['extractor'],
  'batches.7.webhook': ['webhook'],
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

/** The subjects that a user may subscribe to. */
const listeners: Record<string, ServiceName[]> = {
  '>': [],
  '_INBOX.>': [],
  '_INBOX.gateway.>': ['gateway'],
  '_INBOX.fetcher.x': ['fetcher'],
  'runs.>': [],
  'accounts.*': [],
  [runsRpc.startRun.subject]: ['crawl-coordinator'],
  [accountsRpc.findKey.subject]: ['auth-billing'],
  [webhookRpc.webhookSecret.subject]: ['webhook'],
  [operatorRpc.throttledHosts.subject]: ['fetcher'],
  [operatorRpc.readActivity.subject]: ['projector'],
  [fetchRpc.fetchNow.subject]: ['fetcher'],
  [fetchRpc.renderNow.subject]: ['fetcher'],
  [cloudRpc.getPage.subject]: ['extractor'],
  [notifications.heartbeats]: [...services],
}

test('Every procedure is among those from which the permissions are derived', async t => {
  const folder = join(import.meta.dirname, '../../contracts/rpc')
  for (const file of await readdir(folder)) {
    const exported = await import(pathToFileURL(join(folder, file)).href)
    const own = Object.values<unknown>(exported).filter(value => 'callers' in Object(value))
    t.strictSame(
      own.filter(value => !rpcs.some(rpc => rpc === value)),
      [],
      file,
    )
  }
  t.equal(new Set(rpcs.map(({ subject }) => subject)).size, rpcs.length, 'each has a subject of its own')
})

test('A service may respond for longer than any caller waits', async t => {
  const limits = [...authorization(passwordOf, administrator).matchAll(/expires: "(\d+)m"/g)]
  t.equal(limits.length, services.length)
  const pageMs = rpcs.map(({ request }) => {
    const { properties } = request as { properties?: { timeoutMs?: { maximum?: number } } }
    return properties?.timeoutMs?.maximum ?? 0
  })
  // The gateway adds these to the timeout of a scan: for the queue and reading of the page, and for a language model.
  const waitMs = Math.max(...pageMs) + 15_000 + 80_000
  t.equal(waitMs, 215_000)
  for (const [, minutes] of limits) t.ok(Number(minutes) * 60_000 > waitMs)
})

test('The users of the bus', async t => {
  const server = await throwawayNats(authorization(passwordOf, administrator), {
    user: administrator,
    pass: passwordOf(administrator),
  })
  t.teardown(() => server.stop())
  const urlAs = (user: string) => server.url.replace('//', `//${user}:${passwordOf(user)}@`)
  await declareStreams(urlAs(administrator))

  /** Returns the refusals of the server to this service, for all attempts. */
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

  await t.test('publish and subscribe to their own subjects, and nothing else', async t => {
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

  t.test('every question and every notice has a permitted sender', async t => {
    const administrators: string[] = [
      accountsRpc.createProject.subject,
      accountsRpc.setProject.subject,
      keysRpc.createKey.subject,
      accountsRpc.setKey.subject,
      mailsRpc.resendMails.subject,
      forgetRpc.closeAccount.subject,
      forgetRpc.forgetMonitors.subject,
      forgetRpc.forgetExports.subject,
      forgetRpc.forgetBatches.subject,
      forgetRpc.forgetScans.subject,
      forgetRpc.forgetSecrets.subject,
      forgetRpc.forgetCalls.subject,
    ]
    const said = services.flatMap(service => permissionsOf(service).publish.allow)
    const isSaid = (subject: string) =>
      said.some(pattern =>
        new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`).test(subject),
      )
    const all = [...rpcs.map(({ subject }) => subject), ...Object.values(notifications)].filter(
      subject => typeof subject === 'string',
    )
    const concrete = all.filter(subject => !subject.includes('*'))
    t.strictSame(
      concrete.filter(subject => !administrators.includes(subject) && !isSaid(subject)),
      [],
    )
  })

  await t.test('append, read, call and serve as they must', async t => {
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
    const counters = { pages: 1, cloudPages: 0, cloudCostUsd: 0 }
    const usage = { today: counters, month: counters }
    const serving = serve(ledger, usageRpc.readUsage, async () => usage, { signal, report })
    await ledger.nc.flush()
    const question = { projectId: 7, day: '2026-11-23' }
    t.strictSame(await call(gateway, usageRpc.readUsage, question, { timeoutMs: 5_000 }), usage)
    await publish(gateway, subjects.audit(7), 'a call')
    await readStream(projector, { stream: 'AUDIT', from: 1, signal, report }, async ([message]) => {
      t.equal(message?.subject, 'audit.7')
      stop.abort()
    })
    await serving
  })

  await t.test('come in with their password alone', async t => {
    for (const servers of [server.url, urlAs('fetcher').replace(/:[0-9a-f]{64}@/, ':wrong@')])
      await t.rejects(connect({ ...serverOf(servers), reconnect: false }), { name: 'AuthorizationError' })
  })
})
