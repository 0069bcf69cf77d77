/**
 * The Python SDK: its generated modules, its own tests with pytest, strict types with mypy, and the wheel. Python's packages
 * come from Debian and are unpacked beside the servers. A machine without python3, or without Debian's archive, skips
 * these tests and says why.
 */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { problems } from '@tidemark/contracts/problems'
import { command } from '@tidemark/deploy/local/command'
import { servedDocument } from '@tidemark/gateway/document.scene'
import { listening } from '@tidemark/testing/listening'
import { startOrigin } from '@tidemark/testing/origin'
import { type Test, test } from 'tap'
import { sharedBin, sharedSystem } from '../../test/e2e/system.ts'
import { pythonPackagesIn } from '../../test/programs.ts'
import { generatedFiles } from '../../test/python-sdk.ts'
import type { Document, Operation } from './generator/document.ts'

const folder = import.meta.dirname
const program = '/usr/bin/python3'
const limitMs = 400_000

/** Cases of the conformance files, each with both clients, and the tests beside them. */
const fewestTests = 200

const packages = await pythonPackagesIn(sharedBin()).catch((error: Error) => error)
const version = await command(program, ['--version'])
const missing =
  version.code !== 0
    ? `there is no ${program}`
    : packages instanceof Error
      ? `Python's packages are not available: ${packages.message}`
      : null

type Run = { env?: NodeJS.ProcessEnv; cwd?: string; paths?: string[] }

/** Runs Python with our packages alone: those of the machine are not seen, and nothing is written beside the code. */
const python = (args: string[], { env = {}, cwd = folder, paths = [folder] }: Run = {}) =>
  command(program, ['-S', '-s', ...args], {
    cwd,
    limitMs,
    env: {
      ...process.env,
      PYTHONPATH: [...paths, String(packages)].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
  })

const testPython = (name: string, run: (t: Test) => Promise<void>) =>
  test(name, { timeout: limitMs }, async t =>
    missing === null ? run(t) : void t.pass(`skipped: ${missing}`, { skip: missing }),
  )

const document = JSON.parse(await servedDocument()) as Document

test('The generated modules belong to the OpenAPI document', async t => {
  for (const [name, text] of generatedFiles(document)) {
    const stored = await readFile(join(folder, 'tidemark', name), 'utf8')
    t.ok(stored === text, `${name} is current; otherwise run node test/python-sdk.ts`)
  }
  const changed = structuredClone(document)
  const { properties = {} } = changed.components.schemas.CrawlRequest ?? {}
  delete properties.max_pages
  t.notOk(
    generatedFiles(changed).get('_async/operations.py') ===
      (await readFile(join(folder, 'tidemark/_async/operations.py'), 'utf8')),
    'a field that the document loses is found',
  )
})

test('An operation without a method is an error', async t => {
  const changed = structuredClone(document)
  const operation: Operation = { operationId: 'launchRocket', responses: {} }
  changed.paths['/v1/rockets'] = { post: operation }
  t.throws(() => generatedFiles(changed), /launchRocket has no method/)
})

testPython('Each error code has a class', async t => {
  const listed = await python([
    '-c',
    'import json, tidemark; print(json.dumps(list(tidemark.errors.ERROR_CLASSES)))',
  ])
  const codes = new Set(JSON.parse(listed.output))
  t.strictSame(
    Object.keys(problems).filter(code => !codes.has(code)),
    [],
  )
})

testPython('The recorded exchanges and a running service, with both clients', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('python-sdk', '--unlimited')
  const links = Array.from({ length: 5 }, (_, n) => `<a href="/${n}">${n}</a>`).join(' ')
  const page = (n: number) =>
    `<!doctype html><title>Page ${n}</title><main><h1>Page ${n}</h1><p>${links}</p></main>`
  const site = await startOrigin({
    pages: Object.fromEntries(Array.from({ length: 5 }, (_, n) => [n === 0 ? '/' : `/${n}`, page(n)])),
  })
  t.teardown(() => site.close())
  site.site({ '/0': { status: 301, headers: { location: '/' } } })
  const env = { TIDEMARK_BASE_URL: system.base, TIDEMARK_API_KEY: key, TIDEMARK_TEST_SITE: `${site.url}/` }
  const { code, output } = await python(['-m', 'pytest', '-q', '--no-header', '-W', 'error'], { env })
  const [summary = ''] = /^\d+ passed.*$/m.exec(output) ?? []
  t.equal(code, 0, code === 0 ? summary : output.slice(-8_000))
  t.ok(Number.parseInt(summary, 10) >= fewestTests, `${summary}, at least ${fewestTests}`)
  t.notMatch(summary, /skipped|failed/)
})

/** The calls that the console shows as code, with arguments as a screen has them, and their requests. */
const shownCalls: [id: string, more: { path?: object; query?: object; body?: object }, request: string][] = [
  ['listCrawls', { query: { limit: 50, status: 'done' } }, 'GET /v1/crawls?limit=50&status=done'],
  ['startCrawl', { body: { url: 'https://a.example/', max_pages: 50 } }, 'POST /v1/crawls'],
  ['startCrawl', { body: { url: 'https://a.example/', cron: '0 6 * * *' } }, 'POST /v1/crawls'],
  ['getCrawl', { path: { id: 7 } }, 'GET /v1/crawls/7'],
  ['shareCrawl', { path: { id: 7 }, body: { expires_in_hours: 1 } }, 'POST /v1/crawls/7/share'],
  ['listErrors', { path: { id: 7 } }, 'GET /v1/crawls/7/errors'],
  ['listPages', { path: { id: 7 }, query: { limit: 1000 } }, 'GET /v1/crawls/7/pages?limit=1000'],
  ['listLinks', { path: { id: 7 }, query: { limit: 1000 } }, 'GET /v1/crawls/7/links?limit=1000'],
  ['listOrphans', { path: { id: 7 } }, 'GET /v1/crawls/7/orphans'],
  ['listDeliveries', { path: { id: 7 } }, 'GET /v1/crawls/7/deliveries'],
  ['listMonitors', {}, 'GET /v1/crons'],
  ['listMonitorRuns', { path: { id: 7 } }, 'GET /v1/crons/7/runs'],
  ['listLogs', { query: { limit: 100 } }, 'GET /v1/logs?limit=100'],
  ['listKeys', {}, 'GET /v1/keys'],
  ['getUsage', {}, 'GET /v1/usage'],
  ['explainUrl', { path: { id: 7 }, query: { url: 'b' } }, 'GET /v1/crawls/7/explain?url=b'],
  ['getPage', { path: { id: 7 }, query: { format: 'full' } }, 'GET /v1/pages/7?format=full'],
  ['diffCrawls', { path: { old_id: 7, new_id: 8 } }, 'GET /v1/crawls/7/diff/8'],
  ['testWebhook', { body: { url: 'https://a.example/' } }, 'POST /v1/webhook/test'],
  ['scanPage', { body: { url: 'https://a.example/', only_main_content: true } }, 'POST /v1/scan'],
  ['cloudRender', { body: { url: 'https://a.example/', return_format: 'png' } }, 'POST /v1/cloud/render'],
  ['auditSite', { body: { crawl_id: 7 } }, 'POST /v1/actors/audit-site'],
]

testPython('Each call of the console sends its request as Python', async t => {
  // Given the snippets of the console, and a service that records requests.
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'application/json')
    response.end('{"items":[]}')
  })
  const { url, close } = await listening(server)
  t.teardown(close)
  Object.assign(globalThis, { location: { origin: url } })
  // The files of the console have the types of a browser, which this test does not have.
  const { snippetOf } = await import(new URL('../console/web/data/snippets.ts', import.meta.url).href)
  const snippets = shownCalls.map(([id, more]) => snippetOf({ id, ...more }, 'Python'))
  // When a reader runs them.
  const { code, output } = await python(['-c', snippets.join('\n')], {
    env: { TIDEMARK_API_KEY: 'tmk_test' },
  })
  // Then each sends its request and prints the content of the response.
  t.equal(code, 0, output)
  t.strictSame(
    received,
    shownCalls.map(([, , request]) => request),
  )
  t.notMatch(output, /object at 0x/, 'a result, not an object without a request')
})

testPython('The types are strict', async t => {
  const scratch = t.testdir({})
  const untyped = join(scratch, 'packages')
  // It stays after the test, so that only files that have changed are checked again.
  const cache = join(folder, '../../node_modules/.cache/mypy')
  await mkdir(untyped)
  // Only these: a folder with all packages would hide those of mypy itself.
  for (const name of ['_pytest', 'anyio', 'h11', 'httpcore', 'httpx', 'pytest', 'sniffio'])
    await symlink(join(String(packages), name), join(untyped, name))
  const mypy = (file: string[]) =>
    python(['-m', 'mypy', '--no-site-packages', '--cache-dir', cache, ...file], {
      env: { MYPYPATH: `${untyped}:${join(folder, 'tests')}` },
    })
  const { code, output } = await mypy([])
  t.equal(code, 0, output.slice(-4_000))
  const wrong = join(scratch, 'wrong.py')
  await writeFile(
    wrong,
    `from tidemark import AsyncTidemark, Tidemark

Tidemark("k").crawls.get("one")


async def first() -> None:
    (await AsyncTidemark("k").keys.list())["keys"]
`,
  )
  const found = await mypy(['--config-file', join(folder, 'pyproject.toml'), wrong])
  t.match(found.output, /incompatible type "str"; expected "int"/)
  t.match(found.output, /TypedDict "ApiKeyList" has no key "keys"/, 'an awaited list has a type')
})

testPython('The wheel installs into an empty folder', async t => {
  const scratch = t.testdir({})
  const source = join(scratch, 'source')
  await cp(folder, source, { recursive: true, filter: from => !from.endsWith('__pycache__') })
  const build = 'from setuptools import build_meta; print(build_meta.build_wheel("../dist"))'
  await mkdir(join(scratch, 'dist'))
  const built = await python(['-c', build], { cwd: source, paths: [] })
  t.equal(built.code, 0, built.output.slice(-2_000))
  const [wheel = ''] = await readdir(join(scratch, 'dist'))
  t.match(wheel, /^tidemark-[\d.]+-py3-none-any\.whl$/)
  const installed = join(scratch, 'installed')
  const install = [
    '-m',
    'installer',
    '--no-compile-bytecode',
    '--prefix',
    installed,
    join(scratch, 'dist', wheel),
  ]
  const { code, output } = await python(install, { cwd: scratch, paths: [] })
  t.equal(code, 0, output)
  const found = (await readdir(installed, { recursive: true })).find(path =>
    path.endsWith('tidemark/py.typed'),
  )
  t.ok(found, 'the wheel says that it is typed')
  const used = await python(['-c', 'import tidemark; print(tidemark.__version__, tidemark.__file__)'], {
    cwd: scratch,
    paths: [join(installed, String(found), '../..')],
  })
  t.match(used.output, /^0\.5\.0 .*installed/)
  const { version } = JSON.parse(await readFile(join(folder, '../../package.json'), 'utf8'))
  t.match(used.output, version, 'the version is that of the service')
})
