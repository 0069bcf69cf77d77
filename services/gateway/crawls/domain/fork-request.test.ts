/** A fork keeps all settings of its base but the changed ones. */
import { ForkRequest } from '@tidemark/contracts/http/crawl-fork'
import { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import fc from 'fast-check'
import { test } from 'tap'
import { Check, Value } from 'typebox/value'
import { applyFieldRules } from './field-rules.ts'
import { canonicalFork, forkedRequest, forkSettings } from './fork-request.ts'
import { settingsOf } from './run-settings-of-request.ts'

const url = 'https://a.example/'
const context = {
  sentFields: new Set<string>(),
  tier: 'agency' as const,
  pools: { names: () => ['isp (DE)'] },
}
const seal = (text: string) => `sealed2.00000000.${Buffer.from(text).toString('base64url')}`

function settingsFor(body: object): RunSettings {
  const requested = Value.Default(CrawlRequest, { url, ...body }) as CrawlRequest
  return settingsOf(applyFieldRules(requested, context).request, seal, 'http://proxy.example')
}

function forked(settings: RunSettings, changes: ForkRequest = {}): RunSettings {
  const base = { id: 41, url, settings, pages: 3 }
  const sentFields = new Set(Object.keys(changes))
  const { request } = applyFieldRules(forkedRequest(base, changes, sentFields), { ...context, sentFields })
  return forkSettings(base, request)
}

const login = {
  steps: [{ type: 'wait_for', selector: '.account' }],
  logged_out: { status: 401 },
}

/** Fields with a value that differs from the default, each allowed alone. */
const fields: Record<string, unknown> = {
  max_pages: 7,
  max_cost_usd: 0.29,
  max_bytes: 123,
  depth: 3,
  concurrency: 9,
  delay_ms: 0,
  subdomains: true,
  respect_robots: false,
  headers: { 'X-A': '1' },
  cookies: 'a=b',
  webhook_url: 'https://hooks.example/',
  user_agent: 'Own/1.0',
  proxy_url: 'http://u:p@proxy.example',
  proxy_pool: 'isp',
  seed_kind: 'sitemap',
  urls: ['https://a.example/one'],
  follow_links: false,
  include_paths: ['^/a'],
  exclude_paths: ['^/b'],
  ignore_selectors: ['.clock'],
  only_selectors: ['main'],
  ignore_text: ['\\d'],
  min_changed_words: 2,
  aggressive: true,
  trap_guards: false,
  render: 'auto',
  screenshots: true,
  login,
}
/** Fields that need others. */
const needs: Record<string, object> = {
  screenshots: { render: 'always' },
}
const monitorsOnly = ['cron', 'timezone', 'intent', 'only_matching', 'conditional', 'return_only_changed']
const noSettings = ['url', 'store_html', 'max_age_seconds', 'proxy_country', 'webhook_events']

test('A fork without changes has the settings of its base', async t => {
  t.strictSame(
    [...Object.keys(fields), ...monitorsOnly, ...noSettings].sort(),
    Object.keys(CrawlRequest.properties).sort(),
    'every field is considered',
  )
  for (const [field, value] of Object.entries(fields)) {
    const settings = settingsFor({ [field]: value, ...needs[field] })
    t.strictNotSame(settings, settingsFor({ ...needs[field] }), `${field} has a setting`)
    t.strictSame(forked(settings), { ...settings, fork: { runId: 41, pages: 3 } }, field)
  }
  const all = settingsFor({
    ...{ webhook_url: fields.webhook_url, webhook_events: ['crawl.done', 'page.fetched'] },
    ...{ proxy_pool: 'isp', proxy_country: 'de' },
  })
  t.match(all, { webhook: { notices: ['page.fetched'] }, proxyPool: { country: 'DE' } })
  t.strictSame(forked(all), { ...all, fork: { runId: 41, pages: 3 } })
  fc.assert(
    fc.property(fc.integer({ min: 1_000, max: 10_000_000_000 }), maxCost => {
      t.equal(forked({ ...settingsFor({}), maxCost }).maxCost, maxCost)
    }),
    { numRuns: 200 },
  )
})

test('A fork of a crawl of a monitor is a single crawl', async t => {
  const intent = { text: 'The price falls.' }
  const webhook = {
    url: 'https://hooks.example/',
    events: ['crawl.diff_detected' as const],
    onlyChanged: true,
  }
  const settings = { ...settingsFor({}), intent, conditional: false as const, webhook }
  t.strictSame(forked(settings), {
    ...settingsFor({}),
    webhook: { ...webhook, onlyChanged: false },
    fork: { runId: 41, pages: 3 },
  })
})

test('A fork changes what is sent, and null removes it', async t => {
  const settings = settingsFor({
    ...{ max_cost_usd: 1, max_bytes: 9, concurrency: 2, min_changed_words: 3, cookies: 'a=b' },
    ...{ webhook_url: fields.webhook_url, exclude_paths: ['^/b'], ignore_selectors: ['.clock'] },
  })
  const changes = { max_pages: 5, max_bytes: 10, exclude_paths: [], include_paths: ['^/a'] }
  const { excludePaths: _, ...kept } = settings
  const changed = { ...kept, maxPages: 5, maxBytes: 10, includePaths: ['^/a'], fork: { runId: 41, pages: 3 } }
  t.strictSame(forked(settings, changes), changed)
  const removed = { max_cost_usd: null, max_bytes: null, concurrency: null, min_changed_words: null }
  const { maxCost: __, maxBytes: ___, minChangedWords: ____, webhook: _____, ...rest } = settings
  t.strictSame(forked(settings, { ...removed, webhook_url: null }), {
    ...rest,
    concurrency: null,
    fork: { runId: 41, pages: 3 },
  })
  t.match(forked(settings, { ignore_text: ['x'] }).comparison, {
    ignoreSelectors: ['.clock'],
    ignoreText: ['x'],
  })
  t.match(forked(settings, { webhook_events: ['crawl.failed'] }).webhook, {
    url: fields.webhook_url,
    events: { length: 0 },
    notices: ['crawl.failed'],
  })
})

test('A fork cannot change what its pages depend on', async t => {
  const base = { id: 41, url, settings: settingsFor({}), pages: 3 }
  for (const field of Object.keys(CrawlRequest.properties)) {
    const isFree = Object.hasOwn(ForkRequest.properties, field)
    const change = () => forkedRequest(base, {}, new Set([field]))
    if (isFree) t.doesNotThrow(change, field)
    else t.throws(change, { code: 'invalid_input', field, reason: 'conflicting_fields' }, field)
  }
  t.doesNotThrow(() => forkedRequest(base, {}, new Set(['none_such'])), 'unknown fields only get a warning')
})

test('Equal forks have one canonical text', async t => {
  const text = canonicalFork(1, { max_pages: 5, depth: 2 })
  t.equal(canonicalFork(1, { depth: 2, max_pages: 5, none_such: 1 } as ForkRequest), text)
  t.not(canonicalFork(2, { max_pages: 5, depth: 2 }), text)
  t.not(canonicalFork(1, { max_pages: 6, depth: 2 }), text)
  t.not(canonicalFork(1, { max_pages: 5, depth: 2, max_bytes: null }), text)
})

test('A fork has the fields of a crawl with their bounds, and no defaults', async t => {
  t.ok(Check(ForkRequest, {}))
  t.strictSame(Value.Default(ForkRequest, {}), {})
  for (const [body, isValid] of [
    [{ max_pages: 0 }, false],
    [{ max_pages: null }, false],
    [{ max_cost_usd: null, max_bytes: null, concurrency: null, webhook_url: null }, true],
    [{ max_cost_usd: -1 }, false],
    [{ include_paths: ['a'], urls: [''] }, false],
    [{ webhook_events: ['crawl.done'] }, true],
    [{ webhook_events: ['none'] }, false],
  ] as const)
    t.equal(Check(ForkRequest, body), isValid, JSON.stringify(body))
})
