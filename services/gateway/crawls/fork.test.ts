/** `POST /v1/crawls/{id}/fork` with fakes of the other services. */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { test } from 'tap'
import { caller, keyNamed, seed, surroundings } from '../gateway.scene.ts'

const mine = keyNamed('m')
const foreign = keyNamed('f')

test('A fork', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const { standIns } = around
  standIns.addKey(mine, 7, { tier: 'pro' })
  standIns.addKey(foreign, 8)
  const { call } = caller(around, mine)

  /** Starts a crawl that has ended, and returns its id. */
  async function ended(more: object = {}): Promise<number> {
    const { status, json, text } = await call('POST', '/v1/crawls', { body: { url: seed, ...more } })
    t.equal(status, 202, text)
    standIns.ended.add(json.id)
    return json.id
  }
  const fork = (id: number | string, body?: unknown, more: object = {}) =>
    call('POST', `/v1/crawls/${id}/fork`, { ...(body !== undefined && { body }), ...more })
  const settingsOf = (id: number): RunSettings => standIns.starts[id - 1]?.settings as RunSettings

  t.test('is a new crawl with the changed settings, and the sealed ones of its base', async t => {
    const base = await ended({ cookies: 'a=b', max_pages: 10, exclude_paths: ['^/x'] })
    const answer = await fork(base, { max_pages: 40, exclude_paths: [] })
    const { id } = answer.json
    t.match(answer, { status: 202, json: { status: 'queued', url: seed } })
    t.not(id, base)
    t.equal(answer.headers.get('location'), `/v1/crawls/${id}`)
    const { excludePaths: _, ...kept } = settingsOf(base)
    t.match(kept.cookies, /^sealed/)
    t.strictSame(settingsOf(id), { ...kept, maxPages: 40, fork: { runId: base, pages: 3 } })
    t.match(standIns.starts[id - 1], { projectId: 7, tier: 'pro', url: seed })
    t.notOk(standIns.starts[id - 1]?.likeness, 'no later request gets it instead of a fresh crawl')
    t.match((await call('GET', `/v1/crawls/${id}`)).json, { id, forked_from: base, pages_reused: 0 })
    t.match((await call('GET', `/v1/crawls/${base}`)).json, { forked_from: null, pages_reused: 0 })
  })

  t.test('needs no body', async t => {
    const base = await ended()
    const { status, json } = await fork(base)
    t.equal(status, 202)
    t.strictSame(settingsOf(json.id), { ...settingsOf(base), fork: { runId: base, pages: 3 } })
  })

  t.test('is refused for a crawl that has not ended, has no bodies, or is of another project', async t => {
    const { id: active } = (await call('POST', '/v1/crawls', { body: { url: seed } })).json
    t.match(await fork(active, {}), {
      status: 409,
      json: { error: { code: 'conflict', reason: 'run_active', message: /cancel it/ } },
    })
    const bare = await ended({ store_html: false })
    t.match(await fork(bare, {}), {
      status: 409,
      json: { error: { code: 'conflict', reason: 'html_not_stored', message: /POST \/v1\/crawls/ } },
    })
    const base = await ended()
    t.equal((await fork(base, {}, { key: foreign })).status, 404)
    for (const id of [99_999_999, 0, 'x']) t.equal((await fork(id, {})).status, 404, `${id}`)
  })

  t.test('has the same rules as a crawl, for the combined fields', async t => {
    const base = await ended({ include_paths: ['^/a'], urls: [`${seed}one`] })
    const refused: [body: object, field: string, reason: string, message?: RegExp][] = [
      [{ max_pages: 0 }, 'max_pages', 'out_of_range', /from 1 to 100000; 0 was sent/],
      [{ max_pages: null }, 'max_pages', 'wrong_type'],
      [{ max_pages: '5' }, 'max_pages', 'wrong_type'],
      [{ max_cost_usd: 0.0001 }, 'max_cost_usd', 'out_of_range', /at least 0.001/],
      [{ max_cost_usd: -1 }, 'max_cost_usd', 'out_of_range', /from 0 to 10000; -1 was sent/],
      [{ max_bytes: '1MB' }, 'max_bytes', 'wrong_type', /must be an integer or null; "1MB" was sent/],
      [{ concurrency: 0 }, 'concurrency', 'out_of_range', /at least 1; 0 was sent/],
      [{ depth: 51 }, 'depth', 'out_of_range'],
      [{ exclude_paths: ['('] }, 'exclude_paths[0]', 'bad_regex'],
      [{ exclude_paths: [5] }, 'exclude_paths[0]', 'wrong_type'],
      [{ urls: ['https://elsewhere.example/'] }, 'urls[0]', 'conflicting_fields'],
      [{ ignore_selectors: ['('] }, 'ignore_selectors[0]', 'bad_value'],
      [{ webhook_url: 'no address' }, 'webhook_url', 'bad_url'],
      [{ webhook_events: ['none'] }, 'webhook_events[0]', 'bad_value'],
      [{ render: 'always' }, 'render', 'conflicting_fields', /cannot be changed by a fork/],
      [{ url: seed }, 'url', 'conflicting_fields', /Leave it out/],
      [{ cookies: 'a=b' }, 'cookies', 'conflicting_fields'],
    ]
    for (const [body, field, reason, message = /./] of refused)
      t.match(
        await fork(base, body),
        { status: 400, json: { error: { code: 'invalid_input', field, reason, message } } },
        JSON.stringify(body),
      )
    const { headers } = await fork(base, { cookies: 'a=b', render: 'always', none_such: 1 })
    const warnings = JSON.parse(headers.get('x-warnings') ?? '')
    t.strictSame(warnings, ["unknown field 'none_such' was ignored"], 'a refused field is not ignored')
    const { json } = await fork(base, { concurrency: 99, none_such: 1, webhook_events: ['crawl.done'] })
    t.match(json.warnings, [
      /unknown field 'none_such'/,
      /concurrency was capped/,
      /webhook_events was ignored/,
    ])
    t.equal(settingsOf(json.id).concurrency, 64)
  })

  t.test('is started once for a key, even if the crawl or the body is no longer valid', async t => {
    const base = await ended()
    const headers = { 'idempotency-key': 'fork-1' }
    const first = await fork(base, { max_pages: 5 }, { headers })
    t.equal(first.status, 202)
    t.equal(first.headers.get('idempotent-replayed'), null)
    const count = standIns.starts.length
    const again = async (id: number, body: object) => {
      const { status, headers: got, json } = await fork(id, body, { headers })
      t.match({ status, id: json.id }, { status: 202, id: first.json.id })
      t.equal(got.get('idempotent-replayed'), 'true')
      return json.warnings ?? []
    }
    t.strictSame(await again(base, { max_pages: 5 }), [])
    t.match(await again(base, { max_pages: 6 }), [/another body/])
    t.match(await again(base, { max_pages: 0 }), [/another body/])
    t.match(await again(99_999_999, { max_pages: 5 }), [/another body/])
    standIns.ended.delete(base)
    t.strictSame(await again(base, { max_pages: 5 }), [])
    t.equal(standIns.starts.length, count)
    t.equal((await fork(base, { max_pages: 0 }, { headers: { 'idempotency-key': 'fork-2' } })).status, 400)
  })

  t.test('needs a page left today', async t => {
    const base = await ended()
    const before = standIns.grant
    standIns.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 60 })
    t.match(await fork(base, {}), { status: 429, json: { error: { reason: 'daily_pages' } } })
    standIns.grant = before
  })

  t.test('of a monitor sends one webhook whatever changed', async t => {
    const base = await ended({ webhook_url: `${seed}hook` })
    const start = standIns.starts[base - 1]
    if (start?.settings.webhook) start.settings.webhook.onlyChanged = true
    const { json } = await fork(base, { webhook_events: ['page.fetched'] })
    t.match(settingsOf(json.id).webhook, {
      onlyChanged: false,
      events: { length: 0 },
      notices: ['page.fetched'],
    })
  })
})
