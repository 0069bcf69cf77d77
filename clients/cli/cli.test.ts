/** The command line against a service that this file plays: results, exit codes, the file with the key, and no stacks. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signatureHeaders } from '@tidemark/webhook/domain/signature'
import { type Test, test } from 'tap'

const program = join(import.meta.dirname, 'main.ts')
const secret = Uint8Array.from({ length: 32 }, (_, n) => n)
type Answers = Record<string, (request: IncomingMessage) => [status: number, body: unknown]>

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
  month: { pages: 70, cloud_pages: 0, cloud_cost_usd: 0, pages_pct: null },
  retry_after_seconds: 10,
}
const refused = (code: string, message: string) => ({ error: { code, message, request_id: 'req-7' } })

async function playing(t: Test, answers: Answers) {
  const server = createServer((request, response: ServerResponse) => {
    const path = `${request.method} ${request.url?.split('?')[0]}`
    const [status, body] = answers[path]?.(request) ?? [
      404,
      refused('not_found', 'There is no such resource.'),
    ]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const home = await mkdtemp(join(tmpdir(), 'tidemark-cli-'))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await rm(home, { recursive: true, force: true })
  })
  const { TIDEMARK_API_KEY: _, ...others } = process.env
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env: NodeJS.ProcessEnv = {
    ...others,
    XDG_CONFIG_HOME: home,
    TIDEMARK_BASE_URL: base,
    TIDEMARK_API_KEY: 'tmk_test',
  }
  return { env, home, base }
}

type Ended = { code: number | null; out: string; err: string }

async function tidemark(env: NodeJS.ProcessEnv, args: string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' })
  let [out, err] = ['', '']
  child.stdout.on('data', data => (out += data))
  child.stderr.on('data', data => (err += data))
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code: code as number | null, out, err }
}

test('Help, mistakes and exit codes', { timeout: 120_000 }, async t => {
  const { env } = await playing(t, {
    'GET /v1/usage': request =>
      request.headers.authorization === 'Bearer tmk_test'
        ? [200, usage]
        : [401, refused('unauthorized', 'Send a valid API key.')],
    'POST /v1/scan': () => [429, refused('too_many_requests', 'The pages of the day are used up.')],
    'POST /v1/map': () => [502, refused('fetch_failed', 'The site cannot\u001b[31m be reached.')],
  })
  const overview = await tidemark(env, ['--help'])
  t.match(overview, { code: 0, err: '' })
  const names = overview.out.split('\n').flatMap(line => /^ {2}([a-z]+) {2}/.exec(line)?.[1] ?? [])
  t.ok(names.length >= 15, names.join(' '))
  for (const name of names)
    t.match((await tidemark(env, [name, '--help'])).out, /^Usage: tidemark[\s\S]+Examples:\n {2}\S/, name)

  const ended: [args: string[], code: number, err: RegExp][] = [
    [['fly'], 2, /There is no command 'fly'/],
    [['crawl'], 2, /URL is missing/],
    [['usage', '--colour'], 2, /Unknown option '--colour'/],
    [['crawl', 'a.example', '--max-pages', 'ten'], 2, /--max-pages must be a whole number, not 'ten'/],
    [['crawl', 'a.example', '--format', 'docx'], 2, /--format must be one of/],
    [['explain', 'x', 'https://a.example/'], 2, /CRAWL must be a whole number/],
    [['call', 'launchRocket'], 2, /There is no operation 'launchRocket'/],
    [['call', 'getCrawl', '--path', 'id'], 2, /--path must be NAME=VALUE, not 'id'/],
    [['call', 'scanPage', '--body', '{'], 2, /--body is not JSON/],
    [['usage', '--api-key', 'wrong'], 4, /tidemark login/],
    [['scan', 'https://a.example/'], 5, /pages of the day are used up\. \(request req-7\)/],
    [['map', 'https://a.example/'], 1, /The site cannot\[31m be reached/],
    [['usage', '--base-url', 'http://127.0.0.1:9'], 1, /The connection to http:\/\/127\.0\.0\.1:9/],
    [['explain', '1', 'https://a.example/'], 1, /There is no such resource/],
  ]
  for (const [args, code, err] of ended) {
    const result = await tidemark(env, args)
    t.match(result, { code, out: '', err }, args.join(' '))
    t.notMatch(result.err, /\n {4}at /, 'no stack')
  }
  t.match(await tidemark(env, ['usage']), { code: 0, out: /pages today +7 +500/ })
  t.strictSame(JSON.parse((await tidemark(env, ['usage', '--json'])).out), usage)
})

test('Login stores the key for its owner only', async t => {
  const { env, home, base } = await playing(t, { 'GET /v1/usage': () => [200, usage] })
  const { TIDEMARK_API_KEY: _, TIDEMARK_BASE_URL: __, ...bare } = env
  const result = await tidemark(bare, ['login', '--base-url', base], 'tmk_stored\n')
  t.match(result, { code: 0, out: /is stored in/ }, result.err)
  const file = join(home, 'tidemark', 'config.json')
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.strictSame(JSON.parse(await readFile(file, 'utf8')), { api_key: 'tmk_stored', base_url: base })
  t.match(await tidemark(bare, ['usage']), { code: 0 }, 'the next command uses it')
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

test('Webhooks are verified and forwarded with their signatures', async t => {
  const forwarded: IncomingMessage['headers'][] = []
  const { env, base } = await playing(t, {
    'GET /v1/webhook/secret': () => [200, { secret_hex: Buffer.from(secret).toString('hex') }],
    'POST /hook': request => {
      forwarded.push(request.headers)
      return [202, {}]
    },
  })
  const args = ['webhooks', 'listen', '--port', '0', '--count', '1', '--forward-to', `${base}/hook`]
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (text += data))
  const closed = once(child, 'close')
  while (!/webhook_url (\S+)\./.test(text)) await once(child.stderr, 'data')
  const [, address = ''] = /webhook_url (\S+)\./.exec(text) ?? []
  const body = JSON.stringify({ event: 'crawl.done', id: 42, status: 'done', url: 'https://a.example/' })
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = signatureHeaders([secret], { id: 'msg_1', timestamp, body })
  const forged = await fetch(address, { method: 'POST', body: `${body} `, headers })
  t.equal(forged.status, 400)
  t.equal((await fetch(address, { method: 'POST', body, headers })).status, 202, 'the status of the receiver')
  t.strictSame(await closed, [0, null])
  t.match(text, /crawl\.done {2}crawl 42 {2}done/)
  t.match(forwarded, [{ 'webhook-id': 'msg_1', 'x-crawler-signature': headers['x-crawler-signature'] }])
  t.equal(forwarded.length, 1)
})
