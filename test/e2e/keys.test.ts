/** Keys of a project with two gateways: every change at one gateway applies at the other. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { idsOfFirstProject, likeness, tryForeignIds } from './foreign-ids.ts'
import { secondGateway } from './second-gateway.ts'
import { startSystem } from './system.ts'

test('The keys of a project', async t => {
  process.env.LOG_LEVEL ??= 'silent'
  const system = await startSystem({ KEY_USES_SECONDS: '1' })
  t.teardown(() => system.stop())
  const { postgres } = await system.runFile()
  const other = await secondGateway(t, system)

  const { call } = system
  const statusesOf = async (key: string): Promise<number[]> => {
    const headers = { authorization: `Bearer ${key}` }
    const answers = [system.base, other].map(base => fetch(`${base}/v1/usage`, { headers }))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  const first = await system.createProject('turning')
  const rotate = async (key: string, body?: object) => {
    const answer = await call(key, 'POST', '/v1/keys/rotate', body)
    t.equal(answer.status, 200)
    return answer.body as { api_key: string; prefix: string; label: string; grace_seconds: number }
  }

  await t.test('of the first project have the highest tier and no caps', async t => {
    const { api_key } = JSON.parse(await readFile(join(system.dir, 'first-key.json'), 'utf8'))
    const noCaps = { pages_per_day: null, pages_per_month: null, cloud_pages_per_day: null }
    t.match((await call(api_key, 'GET', '/v1/usage')).body, { tier: 'studio', caps: noCaps })
    const aggressive = { url: 'https://example.com/', aggressive: true, cron: '* * * * *' }
    const { status, body } = await call(api_key, 'POST', '/v1/crawls', aggressive)
    t.match([status, body.error.reason], [400, 'conflicting_fields'], 'the error does not concern its tier')
  })

  await t.test('are listed without their secrets, with the time of their last use', async t => {
    t.strictSame(await statusesOf(first), [200, 200])
    await until(async () => (await call(first, 'GET', '/v1/keys')).body.items[0].last_used_at !== null)
    const { body } = await call(first, 'GET', '/v1/keys')
    t.match(body.items, [
      { prefix: first.slice(0, 12), label: 'default', revoked_at: null, expires_at: null },
    ])
    t.notMatch(JSON.stringify(body), first.slice(12))
  })

  await t.test('are rotated: both work during the grace period, then only the new one', async t => {
    const { api_key: second, ...shown } = await rotate(first, { label: 'deploys', grace_seconds: 2 })
    t.strictSame(shown, { prefix: second.slice(0, 12), label: 'deploys', grace_seconds: 2 })
    t.strictSame(
      [await statusesOf(second), await statusesOf(first)],
      [
        [200, 200],
        [200, 200],
      ],
    )
    const { items } = (await call(second, 'GET', '/v1/keys')).body
    const end = Date.parse(items[0].expires_at)
    await until(async () => Date.now() > end + 50)
    t.strictSame(
      [await statusesOf(second), await statusesOf(first)],
      [
        [200, 200],
        [401, 401],
      ],
    )
    t.match(
      await rotate(second),
      { label: 'rotated', grace_seconds: 86_400 },
      'the defaults apply without a body',
    )
  })

  await t.test('are revoked at once at every gateway', async t => {
    const mine = await system.createProject('leaking')
    const { api_key: leaked, prefix } = await rotate(mine)
    t.strictSame(await statusesOf(leaked), [200, 200])
    t.equal((await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status, 204)
    t.strictSame(await statusesOf(leaked), [401, 401])
    t.equal(
      (await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status,
      204,
      'a repeated revocation has no effect',
    )
    const last = await call(mine, 'DELETE', `/v1/keys/${mine.slice(0, 12)}`)
    t.match([last.status, last.body.error], [409, { code: 'conflict', reason: 'last_key' }])
    t.strictSame(await statusesOf(mine), [200, 200])
  })

  await t.test('are revoked at once even if the read model is stuck', async t => {
    const mine = await system.createProject('hurried')
    const { api_key: leaked, prefix } = await rotate(mine)
    await rotate(mine)
    t.strictSame(await statusesOf(leaked), [200, 200])
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    t.teardown(() => client.end())
    await client.query('begin')
    await client.query(`select from read.checkpoint where projection = 'accounts' for update`)

    const began = performance.now()
    const revoking = call(mine, 'DELETE', `/v1/keys/${prefix}`)
    const lessThanCacheMs = 2_500
    await until(async () => (await statusesOf(leaked)).join() === '401,401', lessThanCacheMs)
    t.comment(`after ${Math.round(performance.now() - began)} ms`)
    t.equal((await revoking).status, 204)
    const { rows } = await client.query('select revoked_at from read.key where prefix = $1', [prefix])
    t.strictSame(rows, [{ revoked_at: null }], 'the read model does not have it yet')
    await client.query('commit')
    t.strictSame(await statusesOf(leaked), [401, 401])
  })

  await t.test('are revoked at a disconnected gateway as soon as it reconnects', async t => {
    const { nats } = await system.runFile()
    const link = await cuttable(Number(new URL(nats.url).port))
    t.teardown(() => link.close())
    const throughLink = new URL(nats.url)
    throughLink.port = String(link.port)
    const cutOff = await secondGateway(t, system, { NATS_URL: throughLink.href, INSTANCE: 'cut-off' })
    const statusOf = async (key: string) =>
      (await fetch(`${cutOff}/v1/crawls`, { headers: { authorization: `Bearer ${key}` } })).status
    const mine = await system.createProject('cut-off')
    const { api_key: leaked, prefix } = await rotate(mine)
    await rotate(mine)
    t.equal(await statusOf(leaked), 200)
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    t.teardown(() => client.end())
    await client.query('begin')
    await client.query(`select from read.checkpoint where projection = 'accounts' for update`)

    link.cut()
    t.equal((await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status, 204)
    const moreThanCacheMs = 3_100
    await sleep(moreThanCacheMs)
    t.equal(await statusOf(leaked), 200, 'it reads the read model, which does not have the revocation yet')
    link.mend()
    const lessThanCacheMs = 2_000
    await until(async () => (await statusOf(leaked)) === 401, lessThanCacheMs)
    await client.query('commit')
    t.pass()
  })

  await t.test('have no effect once they are revoked, even for a request that began before', async t => {
    const mine = await system.createProject('robbed')
    const { api_key: stolen, prefix } = await rotate(mine)
    await rotate(mine)
    const keysOf = async () => (await call(mine, 'GET', '/v1/keys')).body.items
    const body = JSON.stringify({ grace_seconds: 0 })
    const slow = request(`${system.base}/v1/keys/rotate`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stolen}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    slow.write(body.slice(0, 5))
    await until(async () => (await keysOf())[1].last_used_at !== null)
    t.equal((await call(mine, 'DELETE', `/v1/keys/${prefix}`)).status, 204)
    slow.end(body.slice(5))
    const [answer] = (await once(slow, 'response')) as [IncomingMessage]
    answer.resume()
    t.match([answer.statusCode, answer.headers['www-authenticate']], [401, 'Bearer'])
    t.equal((await keysOf()).length, 3, 'no key was created')
    t.strictSame(await statusesOf(mine), [200, 200], 'other keys still work')
  })

  await t.test('belong to one project: a key of another project is not found', async t => {
    const stranger = await system.createProject('stranger')
    const withoutId = ({ body }: { body: { error: object } }) => ({ ...body.error, request_id: null })
    const foreign = await call(stranger, 'DELETE', `/v1/keys/${first.slice(0, 12)}`)
    const missing = await call(stranger, 'DELETE', '/v1/keys/tmk_00000000')
    const impossible = await call(stranger, 'DELETE', '/v1/keys/x')
    t.strictSame([foreign.status, missing.status, impossible.status], [404, 404, 404])
    t.strictSame(withoutId(foreign), withoutId(missing))
    t.strictSame(withoutId(impossible), withoutId(missing))
  })

  await t.test('give no access to other projects: their ids are not found', async t => {
    const stranger = await system.createProject('another-stranger')
    const ids = await idsOfFirstProject(system)
    const tried = await tryForeignIds(system, stranger, ids)
    t.ok(tried.length >= 15, `${tried.length} operations take an id`)
    for (const { operation, foreign, missing } of tried) {
      t.equal(foreign.status, 404, operation)
      t.strictSame(likeness(foreign), likeness(missing), operation)
    }
    const ledgerOf = (runId: number) => call(stranger, 'GET', `/v1/usage/ledger?run_id=${runId}`)
    t.strictSame((await ledgerOf(ids.crawls)).body, (await ledgerOf(987_654_321)).body)
  })

  await t.test('are not created by invalid requests, whose errors name the field', async t => {
    const own = await system.createProject('wordy')
    for (const [body, field] of [
      [{ grace_seconds: -1 }, 'grace_seconds'],
      [{ grace_seconds: '60' }, 'grace_seconds'],
      [{ label: '' }, 'label'],
      [{ label: 'a\u0000b' }, 'label'],
      [{ label: 'x'.repeat(101) }, 'label'],
    ] as const) {
      const answer = await call(own, 'POST', '/v1/keys/rotate', body)
      t.match(answer, { status: 400, body: { error: { code: 'invalid_input', field } } })
    }
    t.equal((await call(own, 'GET', '/v1/keys')).body.items.length, 1)
  })
})

/** A proxy between a gateway and its NATS. When cut, it closes every connection and accepts none. */
async function cuttable(port: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer(client => {
    if (isCut) return client.destroy()
    const behind = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend() {
      isCut = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
