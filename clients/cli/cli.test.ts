/** The command line against a service that this file plays: results, exit codes, the file with the key, and no stacks. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'
import { until } from '@tidemark/testing/until'
import { signatureHeaders } from '@tidemark/webhook/domain/signature'
import { type Test, test } from 'tap'
import { enteredLine, ProgressLine, promptAtInterrupt } from './progress.ts'
import { unzip } from './unzip.ts'

const program = join(import.meta.dirname, 'main.ts')
const secret = Uint8Array.from({ length: 32 }, (_, n) => n)
/** Texts are sent as they are, and all else as JSON. Null: the answer has sent itself. */
type Answer = [status: number, body: unknown, headers?: Record<string, string>] | null
type Answers = Record<string, (request: IncomingMessage, response: ServerResponse) => Answer>

const usage = {
  tier: 'free',
  caps: { pages_per_day: 500, pages_per_month: null, cloud_pages_per_day: 25 },
  today: {
    date: '2026-01-02',
    pages: 7,
    cloud_pages: 0,
    cloud_cost_usd: 0,
    pages_pct: 1.4,
    cloud_pages_pct: 0,
  },
  month: { pages: 70, cloud_pages: 0, cloud_cost_usd: 0, pages_pct: 0 },
  retry_after_seconds: 10,
}
const refused = (code: string, message: string, more = {}) => ({
  error: { code, message, request_id: 'req-7', ...more },
})

async function playing(t: Test, answers: Answers) {
  const server = createServer((request, response: ServerResponse) => {
    const path = `${request.method} ${request.url?.split('?')[0]}`
    const missing: Answer = [404, refused('not_found', 'There is no such resource.')]
    const answer = answers[path] === undefined ? missing : answers[path](request, response)
    if (answer === null) return
    const [status, body, headers = { 'content-type': 'application/json' }] = answer
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const { url: base, close } = await listening(server)
  const home = await mkdtemp(join(tmpdir(), 'tidemark-cli-'))
  t.teardown(async () => {
    await close()
    await rm(home, { recursive: true, force: true })
  })
  const { TIDEMARK_API_KEY: _, ...others } = process.env
  const env: NodeJS.ProcessEnv = {
    ...others,
    XDG_CONFIG_HOME: home,
    TIDEMARK_BASE_URL: base,
    TIDEMARK_API_KEY: 'tmk_test',
  }
  return { env, home, base }
}

type Ended = { code: number | null; out: string; err: string }

async function tidemark(
  env: NodeJS.ProcessEnv,
  args: string[],
  input = '',
  stdout: 'pipe' | number = 'pipe',
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['pipe', stdout, 'pipe'] })
  let [out, err] = ['', '']
  child.stdout?.on('data', data => (out += data))
  child.stderr?.on('data', data => (err += data))
  child.stdin?.end(input)
  const [code] = await once(child, 'close')
  return { code: code as number | null, out, err }
}

/** Each command is a process, and the machine may be busy. */
const timeout = 300_000

test('Help, mistakes and exit codes', { timeout }, async t => {
  const { env } = await playing(t, {
    'GET /v1/usage': request =>
      request.headers.authorization === 'Bearer tmk_test'
        ? [200, usage]
        : [401, refused('unauthorized', 'Send a valid API key.')],
    'POST /v1/scan': () => [429, refused('too_many_requests', 'The pages of the day are used up.')],
    'POST /v1/map': () => [502, refused('fetch_failed', 'The site cannot\u001b[31m be reached.')],
    'POST /v1/crawls': () => [
      400,
      refused('invalid_input', 'Not a host.', { field: 'url', reason: 'bad_url', retry_after_seconds: 9 }),
    ],
  })
  const overview = await tidemark(env, ['--help'])
  t.match(overview, { code: 0, err: '' })
  const names = overview.out.split('\n').flatMap(line => /^ {2}([a-z]+) {2}/.exec(line)?.[1] ?? [])
  t.ok(names.length >= 15, names.join(' '))
  for (const name of names)
    t.match((await tidemark(env, [name, '--help'])).out, /^Usage: tidemark[\s\S]+Examples:\n {2}\S/, name)
  t.match((await tidemark(env, ['help', 'crawl'])).out, /^Usage: tidemark crawl /)

  const ended: [args: string[], code: number, err: RegExp][] = [
    [['fly'], 2, /There is no command 'fly'/],
    [['crawl'], 2, /URL is missing/],
    [['usage', '--colour'], 2, /Unknown option '--colour'\. See 'tidemark usage --help'\.\n$/],
    [['crawl', 'a.example', '--max-pages', 'ten'], 2, /--max-pages must be a whole number, not 'ten'/],
    [['crawl', 'a.example', '--max-cost', '1e3'], 2, /--max-cost must be an amount such as 0.5, not '1e3'/],
    [['crawl', 'a.example', '--format', 'docx'], 2, /--format must be one of/],
    [['explain', 'x', 'https://a.example/'], 2, /CRAWL must be a whole number/],
    [['monitor', 'constructor'], 2, /There is no action 'constructor'/],
    [['call', 'launchRocket'], 2, /There is no operation 'launchRocket'/],
    [['call', 'getCrawl', '--path', 'id'], 2, /--path must be NAME=VALUE, not 'id'/],
    [['call', 'getPage'], 2, /--path id=VALUE is missing, for \/v1\/pages\/\{id\}/],
    [['call', 'getPage', '--path', 'id='], 2, /--path id=VALUE is missing/],
    [['call', 'listCrawls', '--body', '{}'], 2, /listCrawls has no body/],
    [['usage', 'of', 'today'], 2, /The argument 'of' is not expected/],
    [['crawl', 'a.example', 'b.example'], 2, /The argument 'b.example' is not expected/],
    [['monitor', 'delete', '2', '3', '4'], 2, /The argument '3' is not expected/],
    [['keys', 'list', 'all'], 2, /The argument 'all' is not expected/],
    [['diff', '1', '2', '3'], 2, /The argument '3' is not expected/],
    [['completion', 'bash', 'zsh'], 2, /The argument 'zsh' is not expected/],
    [['webhooks', 'redeliver', '1', '--since', '2026-01-02'], 2, /either CRAWL or --since/],
    [['call', 'scanPage', '--body', '{'], 2, /--body is not JSON/],
    [['usage', '--api-key', 'tmk_shown'], 2, /Unknown option '--api-key'/],
    [['crawl', 'a.example'], 1, /Not a host\. \(field url, reason bad_url, retry after 9 s, request req-7\)/],
    [['scan', 'https://a.example/'], 5, /pages of the day are used up\. \(request req-7\)/],
    [['map', 'https://a.example/'], 1, /The site cannot\[31m be reached/],
    [['usage', '--base-url', 'localhost:8080'], 2, /not an http\(s\) address: 'localhost:8080'/],
    [['usage', '--base-url', 'http://127.0.0.1:9'], 1, /The connection to http:\/\/127\.0\.0\.1:9/],
    [['explain', '1', 'https://a.example/'], 1, /There is no such resource/],
  ]
  for (const [args, code, err] of ended) {
    const result = await tidemark(env, args)
    t.match(result, { code, out: '', err }, args.join(' '))
    t.notMatch(result.err, /\n {4}at /, 'no stack')
  }
  t.match(await tidemark({ ...env, TIDEMARK_API_KEY: 'wrong' }, ['usage']), {
    code: 4,
    err: /tidemark login/,
  })
  const asJson = await tidemark(env, ['crawl', 'a.example', '--json'])
  t.equal(asJson.code, 1)
  t.match(JSON.parse(asJson.err).error, {
    ...{ code: 'invalid_input', message: 'Not a host.', field: 'url', reason: 'bad_url' },
    ...{ request_id: 'req-7', retry_after_seconds: 9 },
  })
  t.match(JSON.parse((await tidemark(env, ['crawl', '--json'])).err).error, { message: /URL is missing/ })
  const full = await open('/dev/full', 'w')
  const unwritten = await tidemark(env, ['usage'], '', full.fd)
  await full.close()
  t.match(
    unwritten,
    { code: 1, err: /The result cannot be written: ENOSPC/ },
    'a result that is lost is an error',
  )
  t.match(await tidemark(env, ['usage']), { code: 0, out: /pages today +7 +500/ })
  t.strictSame(JSON.parse((await tidemark(env, ['usage', '--json'])).out), usage)
})

test('Options that would have no effect are refused before a request', { timeout }, async t => {
  // Given a service.
  let requests = 0
  const counted = (): Answer => {
    requests++
    return [202, { id: 1, status: 'queued', url: 'https://a.example/', redelivered: 0, left: 0, items: [] }]
  }
  const paths = ['crawls', 'crawls/1/fork', 'scan/bulk', 'webhook/redeliver']
  const { env } = await playing(t, Object.fromEntries(paths.map(path => [`POST /v1/${path}`, counted])))
  const since = ['webhooks', 'redeliver', '--since', '2026-01-02']
  // When options are given together of which one would be ignored.
  // Then the command is a mistake, and nothing is started.
  for (const [args, err] of [
    [['crawl', 'a.example', '--detach', '--out', 'pages'], /Give either --detach or --out, not both/],
    [['fork', '1', '--detach', '--out', 'pages'], /Give either --detach or --out, not both/],
    [['crawl', 'a.example', '--format', 'parquet'], /--format needs --out DIR/],
    [['crawl', 'a.example', '--detach', '--format', 'parquet'], /--format needs --out DIR/],
    [['scan', 'a.example', 'b.example', '--metadata'], /--metadata is for a single URL/],
    [['scan', 'a.example', 'b.example', '--main-content'], /--main-content is for a single URL/],
    [[...since, '--all'], /Give either --since or --all, not both/],
  ] as const)
    t.match(await tidemark(env, [...args]), { code: 2, out: '', err }, args.join(' '))
  t.equal(requests, 0)
})

test('A folder that cannot be made is found before the crawl, which costs', { timeout }, async t => {
  let requests = 0
  const { env, home } = await playing(t, { 'POST /v1/crawls': () => [500, { requests: ++requests }] })
  const out = join(home, 'pages')
  await writeFile(out, '')
  t.match(await tidemark(env, ['crawl', 'a.example', '--out', out]), { code: 1, err: /EEXIST/ })
  const wrong = join(home, 'wrong')
  t.match(await tidemark(env, ['crawl', 'a.example', '--max-pages', 'many', '--out', wrong]), { code: 2 })
  await t.rejects(stat(wrong), 'a wrong command line makes none')
  t.equal(requests, 0)
})

test('An error page is printed with a remark that names its status', { timeout }, async t => {
  let status = 404
  const page = { final_url: 'https://a.example/x', markdown: '# Not found', signals: {} }
  const { env } = await playing(t, { 'POST /v1/scan': () => [200, { ...page, status }] })
  const missing = await tidemark(env, ['scan', 'a.example/x'])
  t.match(missing, { code: 0, out: '# Not found\n', err: 'The site answered 404: https://a.example/x\n' })
  status = 200
  t.match(await tidemark(env, ['scan', 'a.example/x']), { code: 0, err: '' })
})

test('The end of a crawl has its reason, but not twice', { timeout }, async t => {
  const ended = { id: 5, url: 'https://a.example/', page_count: 3, error_count: 0, error_message: null }
  let run = {}
  const { env } = await playing(t, {
    'POST /v1/crawls': () => [202, { id: 5, status: 'queued', url: 'https://a.example/' }],
    'GET /v1/crawls/5/events': () => [204, ''],
    'GET /v1/crawls/5': () => [200, { ...ended, ...run }],
  })
  run = { status: 'done', stop_reason: 'max_pages' }
  t.match(await tidemark(env, ['crawl', 'a.example']), {
    code: 0,
    out: /^Crawl 5 is done \(max_pages\): 3 pages/,
  })
  run = { status: 'cancelled', stop_reason: 'cancelled' }
  t.match(await tidemark(env, ['crawl', 'a.example']), { code: 3, out: /^Crawl 5 is cancelled: 3 pages/ })
})

test('Login stores the key for its owner only', { timeout }, async t => {
  const { env, home, base } = await playing(t, { 'GET /v1/usage': () => [200, usage] })
  const { TIDEMARK_API_KEY: _, TIDEMARK_BASE_URL: __, ...bare } = env
  const result = await tidemark(bare, ['login', '--base-url', base], 'tmk_stored\n')
  t.match(result, { code: 0, out: /is stored in/ }, result.err)
  const file = join(home, 'tidemark', 'config.json')
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.strictSame(JSON.parse(await readFile(file, 'utf8')), { api_key: 'tmk_stored', base_url: base })
  t.match(await tidemark(bare, ['usage']), { code: 0 }, 'the next command uses it')

  const keys: (string | undefined)[] = []
  const other = await playing(t, {
    'GET /v1/usage': ({ headers }) => {
      keys.push(headers.authorization)
      return [401, refused('unauthorized', 'Send a valid API key.')]
    },
  })
  const elsewhere = await tidemark(bare, ['usage', '--base-url', other.base])
  t.match(elsewhere, { code: 4, err: /The stored key belongs to .* is not sent to/ })
  await tidemark({ ...bare, TIDEMARK_BASE_URL: other.base }, ['usage'])
  t.strictSame(keys, [undefined, undefined], 'the stored key is not sent to another address')
  t.match(await tidemark(bare, ['usage', '--base-url', `${base}/`]), { code: 0 }, 'a slash is no difference')
  const empty = { ...bare, TIDEMARK_BASE_URL: '', TIDEMARK_API_KEY: '' }
  t.match(await tidemark(empty, ['usage']), { code: 0 }, 'an empty variable counts as absent')

  await writeFile(file, '{')
  t.match(await tidemark(bare, ['usage']), { code: 1, err: /not valid JSON\. Run 'tidemark login'/ })
  t.match(await tidemark(env, ['usage']), { code: 0 }, 'a file that is not needed is not read')
  t.match(await tidemark(bare, ['login', '--base-url', base], 'tmk_again'), { code: 0 })
  await writeFile(file, '{')
  t.match(await tidemark({ ...bare, TIDEMARK_BASE_URL: base }, ['login'], 'tmk_again'), { code: 0 })
  t.match(
    JSON.parse(await readFile(file, 'utf8')),
    { api_key: 'tmk_again' },
    'login writes a broken file again',
  )
  await rm(file)
  await mkdir(file)
  t.match(await tidemark(bare, ['usage']), { code: 1, err: /stored key cannot be read: EISDIR/ })
})

test('Exports and rows are saved, or the exit code says that they are not', { timeout }, async t => {
  let downloads = 0
  let status = 'done'
  const { env, home } = await playing(t, {
    'POST /v1/crawls/1/exports': () => [202, { id: 9, status: 'queued' }],
    'GET /v1/exports/9': () => [
      200,
      { id: 9, status, format: 'jsonl', download_url: '/v1/exports/9/file?s=1' },
    ],
    'GET /v1/exports/9/file': ({ headers }, response) => {
      downloads++
      if (downloads === 2) return [502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' }]
      if (headers.range) return [206, 'second', { 'x-range': headers.range }]
      response.writeHead(200, { 'content-length': '100' }).write('first ')
      setTimeout(() => response.destroy(), 500)
      return null
    },
    'GET /v1/crawls/1/pages': request =>
      request.url?.includes('offset=2')
        ? [200, 'url,title\r\nc,C\r\n', {}]
        : [200, 'url,title\r\na,"A\r\n""1"""\r\nb,B\r\n', { 'x-next-offset': '2' }],
  })
  const out = join(home, 'out')
  const saving = (format: string) =>
    tidemark(env, ['export', '1', '--json', '--format', format, '--out', out])
  t.match(await saving('jsonl'), { code: 0 })
  t.equal(await readFile(join(out, 'export-9.jsonl'), 'utf8'), 'first second', 'a cut download continues')
  t.equal(downloads, 3, 'also behind the page of a proxy')
  const rows = JSON.parse((await saving('csv')).out)
  t.match(rows, { records: 3 }, 'a line break in a cell is no row')
  t.equal(await readFile(rows.path, 'utf8'), 'url,title\r\na,"A\r\n""1"""\r\nb,B\r\nc,C\r\n')
  await rm(rows.path)
  await mkdir(rows.path)
  const refusedByDisk = await saving('csv')
  t.match(refusedByDisk, { code: 1, err: /EISDIR/ })
  t.notMatch(refusedByDisk.err, /\n {4}at /, 'no stack')
  status = 'failed'
  t.match(await saving('jsonl'), { code: 3, err: /The export 9 has failed/ })
})

/** Sends a part of a body that is longer, and cuts the connection. */
function cutBody(response: ServerResponse, status: number, part: string): null {
  response.writeHead(status, { 'content-length': '1000' }).write(part)
  setTimeout(() => response.destroy(), 100)
  return null
}

test('A download continues as long as each attempt brings more of the file', { timeout }, async t => {
  // Given a connection that is cut behind each byte.
  const file = 'abcdefgh'
  const { env, home } = await playing(t, {
    'POST /v1/crawls/1/exports': () => [202, { id: 9, status: 'queued' }],
    'GET /v1/exports/9': () => [200, { id: 9, status: 'done', format: 'jsonl', download_url: '/v1/x?s=1' }],
    'GET /v1/exports/9/file': ({ headers: { range } }, response) => {
      const from = Number(/\d+/.exec(range ?? '0'))
      const status = from === 0 ? 200 : 206
      if (from === file.length - 1) return [status, file.slice(from), {}]
      return cutBody(response, status, file.charAt(from))
    },
  })
  // When the export is saved.
  const out = join(home, 'out')
  const saved = await tidemark(env, ['export', '1', '--format', 'jsonl', '--out', out])
  // Then the file is complete, although it took more attempts than may fail in succession.
  t.match(saved, { code: 0 }, saved.err)
  t.equal(await readFile(join(out, 'export-9.jsonl'), 'utf8'), file)
})

test('An export that the user interrupts leaves no files', { timeout }, async t => {
  const { env, home } = await playing(t, {
    'POST /v1/crawls/1/exports': () => [202, { id: 9, status: 'queued' }],
    'GET /v1/exports/9': () => [200, { id: 9, status: 'done', format: 'jsonl', download_url: '/v1/x?s=1' }],
    'GET /v1/exports/9/file': (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('a')
      return null
    },
  })
  const out = join(home, 'out')
  const child = spawn(process.execPath, [program, 'export', '1', '--format', 'jsonl', '--out', out], { env })
  const filesIn = () => readdir(out, { recursive: true }).catch(() => [])
  await until(async () => (await filesIn()).some(name => name.endsWith('.jsonl')))
  child.kill('SIGINT')
  t.strictSame(await once(child, 'close'), [130, null])
  t.strictSame(await filesIn(), [])
})

test('Rows have their name only when they are complete', { timeout }, async t => {
  // Given rows in two parts, of which the connection cuts the second one once.
  let [isCut, isGone] = [false, false]
  const { env, home } = await playing(t, {
    'GET /v1/crawls/1/pages': (request, response) => {
      if (!request.url?.includes('offset=1')) return [200, 'url\r\na\r\n', { 'x-next-offset': '1' }]
      if (isGone) return [404, refused('not_found', 'The crawl was deleted.')]
      if (isCut) return [200, 'url\r\nb\r\nc\r\n', {}]
      isCut = true
      return cutBody(response, 200, 'url\r\nb\r\n')
    },
  })
  const out = join(home, 'out')
  const saving = () => tidemark(env, ['export', '1', '--json', '--format', 'csv', '--out', out])
  // When they are saved.
  const saved = await saving()
  // Then each row is in the file once.
  t.match(saved, { code: 0 }, saved.err)
  const { path, records } = JSON.parse(saved.out || '{}')
  t.equal(records, 3)
  t.equal(await readFile(path ?? join(out, 'crawl-1-pages.csv'), 'utf8'), 'url\r\na\r\nb\r\nc\r\n')

  // When they are saved again, and the second part fails for good.
  isGone = true
  t.match(await saving(), { code: 1, err: /The crawl was deleted/ })
  // Then the earlier file stays as it is, and is the only one.
  t.equal(await readFile(path, 'utf8'), 'url\r\na\r\nb\r\nc\r\n')
  t.strictSame(await readdir(out), ['crawl-1-pages.csv'])
})

test('A comparison counts every page, also of very long lists', { timeout }, async t => {
  const added = Array.from({ length: 130_000 }, (_, n) => ({ url: `https://a.example/${n}` }))
  const counts = {
    added: added.length,
    removed: 0,
    changed: 0,
    unchanged: 5,
    not_revisited: 2,
    not_compared: 1,
  }
  const { env } = await playing(t, {
    'GET /v1/crawls/1/diff/2': () => [200, { summary: counts, added, removed: [], changed: [] }],
  })
  const { code, out } = await tidemark(env, ['diff', '1', '2'])
  t.equal(code, 0)
  t.match(
    out.slice(-120),
    '130000 added, 0 removed, 0 changed, 5 unchanged, 2 not revisited, 1 not compared\n',
  )
  t.equal(out.split('\n').length, added.length + 3)
})

test('A fork sends only the limits that it changes, and a replay adds up all parts', { timeout }, async t => {
  const sent: string[] = []
  const page = (id: number, more: object) => ({ id, url: `https://a.example/${id}`, ...more })
  const part = (items: object[], next_offset: number | null) => ({
    ...{ run_id: 1, items, total: 150, next_offset, warnings: ['Page 9 is no longer readable.'] },
    ...{ pages_read: 70, pages_changed: items.length, pages_not_stored: 4, pages_unreadable: 1 },
  })
  const { env } = await playing(t, {
    'POST /v1/crawls/1/fork': (request, response) => {
      request.on('data', data => sent.push(String(data)))
      request.on('end', () =>
        response
          .writeHead(202, { 'content-type': 'application/json' })
          .end(JSON.stringify({ id: 2, status: 'queued', url: 'https://a.example/' })),
      )
      return null
    },
    'GET /v1/crawls/1/replay': request =>
      request.url?.includes('offset=75')
        ? [200, part([page(2, { changes: [], links: { added_total: 1 } })], null)]
        : [200, part([page(1, { changes: [{ field: 'title' }], links: null })], 75)],
  })
  const forked = await tidemark(env, [
    ...['fork', '1', '--max-pages', '9', '--exclude', '^/a/', '--subdomains', '--detach'],
  ])
  t.match(forked, { code: 0, out: 'Crawl 2 of https://a.example/ is queued.\n' })
  t.strictSame(JSON.parse(sent.join('')), { max_pages: 9, exclude_paths: ['^/a/'], subdomains: true })

  const replayed = await tidemark(env, ['replay', '1', '--exit-code'])
  t.match(replayed, { code: 3, err: 'Warning: Page 9 is no longer readable.\n' })
  t.match(replayed.out, /1 +title +https:\/\/a\.example\/1\n +2 +links +https:\/\/a\.example\/2\n/)
  t.match(replayed.out, '140 pages read, 2 differ, 8 not stored, 2 unreadable\n')
  t.match(await tidemark(env, ['replay', '1']), { code: 0 }, 'a difference is no failure by default')
})

test('A body is an argument, a file or standard input', { timeout }, async t => {
  const sent: string[] = []
  const { env, home } = await playing(t, {
    'POST /v1/scan': (request, response) => {
      void text(request).then(body => {
        sent.push(body)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
      return null
    },
  })
  const body = '{"url":"https://a.example/","cookies":"secret"}'
  const file = join(home, 'scan.json')
  await writeFile(file, `${body}\n`)
  for (const [given, input] of [
    [body, ''],
    [`@${file}`, ''],
    ['-', body],
  ] as const)
    t.match(
      await tidemark(env, ['call', 'scanPage', '--body', given], input),
      { code: 0, out: '{}\n' },
      given,
    )
  t.strictSame(sent, [body, body, body])
  const long = JSON.stringify({ url: 'https://a.example/', headers: { x: `x${'é'.repeat(100_000)}` } })
  t.match(await tidemark(env, ['call', 'scanPage', '--body', '-'], long), { code: 0 })
  t.equal(sent[3], long, 'in any chunks of standard input')
  const absent = await tidemark(env, ['call', 'scanPage', '--body', `@${file}.x`])
  t.match(absent, { code: 2, err: /--body cannot be read: ENOENT.*scan\.json\.x/ })
  const broken = await tidemark(env, ['call', 'scanPage', '--body', '-'], 'secret')
  t.match(broken, { code: 2, err: /--body is not JSON\. See/ })
  t.notMatch(broken.err, /secret/)
})

test('A call that may take long is read as a stream, and its result is printed', { timeout }, async t => {
  const accepted: unknown[] = []
  const stream =
    'event: progress\ndata: {"stage":"pages"}\n\nevent: result\ndata: {"actor":"check-links"}\n\n'
  const { env } = await playing(t, {
    'POST /v1/actors/check-links': request => {
      accepted.push(request.headers.accept)
      return [200, stream, { 'content-type': 'text/event-stream' }]
    },
    'POST /v1/actors/audit-site': request => {
      accepted.push(request.headers.accept)
      return [200, 'rule\n', { 'content-type': 'text/csv' }]
    },
  })
  t.match(await tidemark(env, ['call', 'checkLinks', '--body', '{"url":"https://a.example/"}']), {
    ...{ code: 0, out: '{"actor":"check-links"}\n' },
  })
  t.match(await tidemark(env, ['call', 'auditSite', '--body', '{"crawl_id":1,"format":"csv"}']), {
    ...{ code: 0, out: 'rule\n' },
  })
  t.strictSame(accepted, ['text/event-stream', '*/*'])
})

test('Only webhooks that died are sent again, unless all are wanted', { timeout }, async t => {
  const sent: string[] = []
  const states = { a: 'dead', b: 'delivered', c: 'pending' }
  const redelivered = (id: string) => ({
    [`POST /v1/crawls/1/deliveries/${id}/redeliver`]: (): Answer => {
      sent.push(id)
      return [202, { id }]
    },
  })
  const { env } = await playing(t, {
    'GET /v1/crawls/1/deliveries': () => [
      200,
      { items: Object.entries(states).map(([id, state]) => ({ id, state })) },
    ],
    ...Object.assign({}, ...Object.keys(states).map(redelivered)),
  })
  t.match(await tidemark(env, ['webhooks', 'redeliver', '1']), { code: 0, out: /^Sent again: 1 webhook of/ })
  t.strictSame(sent.splice(0), ['a'])
  t.match(await tidemark(env, ['webhooks', 'redeliver', '1', '--all']), {
    code: 0,
    out: /^Sent again: 2 webhooks of/,
  })
  t.strictSame(sent, ['a', 'b'])
})

test('A question ends with the input, with Ctrl-C and with the crawl', async t => {
  const terminal = () => ({
    input: Object.assign(new PassThrough(), { isTTY: true }),
    output: new PassThrough(),
  })
  let printed = ''
  const asked = (end: (input: PassThrough, crawl: AbortController) => void) => {
    const [crawl, streams] = [new AbortController(), terminal()]
    printed = ''
    streams.output.on('data', chunk => {
      printed += chunk
    })
    const answer = promptAtInterrupt(crawl.signal, streams)
    end(streams.input, crawl)
    return answer
  }
  t.equal(await asked(input => input.write('c\n')), 'cancel')
  t.equal(await asked(input => input.write('\n')), 'continue')
  t.equal(await asked(input => input.end()), 'leave', 'Ctrl-D')
  t.match(printed, /\(Enter\)\? [^a-z]*\n$/, 'the next text has a line of its own')
  t.equal(await asked((_, crawl) => crawl.abort()), 'continue', 'the crawl has ended')
  const { input, output } = terminal()
  const key = enteredLine(createInterface({ input, output, terminal: true }), '')
  input.write('\u0003')
  t.equal(await key, null, 'Ctrl-C')
})

test('The progress of a large crawl takes one line of the terminal', t => {
  const { stderr } = process
  const last = { isTTY: stderr.isTTY, columns: stderr.columns, write: stderr.write }
  const drawn: string[] = []
  Object.assign(stderr, { isTTY: true, columns: 60, write: (text: string) => drawn.push(text) })
  const progress = new ProgressLine()
  const counts = { error_count: 12_345, pending: 1_234_567, bytes: 0, elapsed_ms: 0 }
  for (const second of [0, 1, 2])
    progress.add({ ...counts, page_count: 123_456 + 100 * second } as never, 1000 * second)
  progress.draw(2000)
  Object.assign(stderr, last)
  t.strictSame(drawn, ['\r\x1b[K123656 pages, 100.0 pages/s, 12345 errors, 1234567 in the q'])
  t.end()
})

/** Returns a ZIP archive of stored files, without their checksums. With `isLarge` its sizes are in ZIP64. */
function zipOf(files: Record<string, string>, isLarge = false, comment = ''): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  const lengthOf = (buffers: Buffer[]) => Buffer.concat(buffers).length
  for (const [name, text] of Object.entries(files)) {
    const at = lengthOf(parts)
    const [local, central, extra] = [Buffer.alloc(30), Buffer.alloc(46), Buffer.alloc(isLarge ? 28 : 0)]
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(name.length, 26)
    central.writeUInt32LE(0x02014b50, 0)
    for (const [offset, value] of [
      [20, text.length],
      [24, text.length],
      [42, at],
    ] as const)
      central.writeUInt32LE(isLarge ? 0xffffffff : value, offset)
    central.writeUInt16LE(name.length, 28)
    central.writeUInt16LE(extra.length, 30)
    if (isLarge) {
      extra.writeUInt16LE(1, 0)
      extra.writeUInt16LE(24, 2)
      for (const [n, value] of [text.length, text.length, at].entries())
        extra.writeBigUInt64LE(BigInt(value), 4 + 8 * n)
    }
    parts.push(local, Buffer.from(name), Buffer.from(text))
    directory.push(central, Buffer.from(name), extra)
  }
  const [start, length, count] = [lengthOf(parts), lengthOf(directory), Object.keys(files).length]
  const [large, locator, end] = [Buffer.alloc(56), Buffer.alloc(20), Buffer.alloc(22)]
  large.writeUInt32LE(0x06064b50, 0)
  for (const [offset, value] of [
    [32, count],
    [40, length],
    [48, start],
  ] as const)
    large.writeBigUInt64LE(BigInt(value), offset)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + length), 8)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(isLarge ? 0xffff : count, 10)
  end.writeUInt32LE(isLarge ? 0xffffffff : length, 12)
  end.writeUInt32LE(isLarge ? 0xffffffff : start, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([
    ...parts,
    ...directory,
    ...(isLarge ? [large, locator] : []),
    end,
    Buffer.from(comment),
  ])
}

test('Archives are unpacked, and no entry leaves the folder', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-zip-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const archive = join(folder, 'archive.zip')
  const unpack = async (zip: Buffer) => {
    await writeFile(archive, zip)
    return unzip(archive, join(folder, 'out'), folder)
  }
  const text = (name: string) => readFile(join(folder, 'out', name), 'utf8')
  for (const isLarge of [false, true]) {
    t.equal(await unpack(zipOf({ 'a.md': `A ${isLarge}`, 'b/c.md': 'C', 'd/': '' }, isLarge, 'about')), 2)
    t.strictSame([await text('a.md'), await text('b/c.md')], [`A ${isLarge}`, 'C'])
  }
  await unpack(zipOf({ 'zip.md': 'a text about PK\x06\x07 and other marks' }))
  t.match(await text('zip.md'), /other marks/, 'a mark of ZIP64 within a text is no mark')
  for (const name of ['../x', '/x', 'C:\\x', '..\\x', 'a/../../x', 'a\0x'])
    await t.rejects(unpack(zipOf({ [name]: 'x' })), /outside its folder/, name)
  await t.rejects(stat(join(folder, 'x')))
  await t.rejects(unpack(Buffer.from('no archive')), /not a ZIP archive/)
})

test('A system that is killed has not succeeded', { timeout }, async t => {
  const { env, home } = await playing(t, {})
  await writeFile(join(home, 'package.json'), '{"name":"tidemark","scripts":{"start":"-"}}')
  const exitCodeWith = async (script: string) => {
    await writeFile(join(home, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const child = spawn(process.execPath, [program, 'dev'], {
      cwd: home,
      env: { ...env, PATH: `${home}:${process.env.PATH}` },
    })
    const [code] = await once(child, 'close')
    return code
  }
  t.equal(await exitCodeWith('exit 3'), 3)
  t.equal(await exitCodeWith('kill -KILL $$'), 130)
})

test('Completion scripts are valid', async t => {
  const { env } = await playing(t, {})
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out } = await tidemark(env, ['completion', shell])
    t.equal(code, 0)
    t.match(out, /max-pages/)
    if (shell !== 'bash') continue
    const completed = await new Promise<string>((resolve, reject) =>
      execFile(
        'bash',
        ['-c', `${out}\nCOMP_WORDS=(tidemark keys ro); COMP_CWORD=2; _tidemark; echo "\${COMPREPLY[@]}"`],
        (error, stdout) => (error ? reject(error) : resolve(stdout)),
      ),
    )
    t.equal(completed.trim(), 'rotate')
  }
  t.match(await tidemark(env, ['completion', 'csh']), { code: 2 })
})

const webhookSecret: Answers = {
  'GET /v1/webhook/secret': () => [200, { secret_hex: Buffer.from(secret).toString('hex') }],
}

/** Starts `webhooks listen` until its first delivered webhook. Returns its address, its output and its end. */
async function listeningTo(t: Test, env: NodeJS.ProcessEnv, receiver: string) {
  const args = ['webhooks', 'listen', '--port', '0', '--count', '1', '--forward-to', receiver]
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' })
  t.teardown(() => child.kill())
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (text += data))
  const closed = once(child, 'close')
  while (!/webhook_url (\S+)\./.test(text)) await once(child.stderr, 'data')
  const [, address = ''] = /webhook_url (\S+)\./.exec(text) ?? []
  return { address, closed, output: () => text }
}

function signedWebhook() {
  const body = JSON.stringify({ event: 'crawl.done', id: 42, status: 'done', url: 'https://a.example/' })
  const timestamp = Math.floor(Date.now() / 1000)
  return { method: 'POST', body, headers: signatureHeaders([secret], { id: 'msg_1', timestamp, body }) }
}

test('Webhooks are verified and forwarded with their signatures', async t => {
  const forwarded: IncomingMessage['headers'][] = []
  const { env, base } = await playing(t, {
    ...webhookSecret,
    'POST /hook': request => {
      forwarded.push(request.headers)
      return [202, {}]
    },
  })
  const { address, closed, output } = await listeningTo(t, env, `${base}/hook`)
  const webhook = signedWebhook()
  const forged = await fetch(address, { ...webhook, body: `${webhook.body} ` })
  t.equal(forged.status, 400)
  t.equal((await fetch(address, webhook)).status, 202, 'the status of the receiver')
  t.strictSame(await closed, [0, null])
  t.match(output(), /crawl\.done {2}crawl 42 {2}done/)
  const signature = webhook.headers['x-crawler-signature']
  t.match(forwarded, [{ 'webhook-id': 'msg_1', 'x-crawler-signature': signature }])
  t.equal(forwarded.length, 1)
})

test('A redirect of the receiver is no delivery', async t => {
  // Given a receiver that redirects to a page, as if a login were missing.
  const { env, base } = await playing(t, {
    ...webhookSecret,
    'POST /hook': () => [302, '', { location: '/login' }],
    'GET /login': () => [200, 'Please sign in.', { 'content-type': 'text/html' }],
  })
  const { address, output } = await listeningTo(t, env, `${base}/hook`)
  // When a webhook is forwarded to it.
  const { status } = await fetch(address, { ...signedWebhook(), redirect: 'manual' })
  // Then the service receives the redirect, which is a failure for it.
  t.equal(status, 302)
  t.match(output(), `forwarded to ${base}/hook: 302`)
})
