/**
 * The Python SDK: its generated modules, its own tests with pytest, strict types with mypy, and the wheel. Python's packages
 * come from Debian and are unpacked beside the servers. A machine without python3, or without Debian's archive, skips
 * these tests and says why.
 */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { problems } from '@tidemark/contracts/problems'
import { command } from '@tidemark/deploy/local/command'
import { servedDocument } from '@tidemark/gateway/document.scene'
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

testPython('The types are strict', async t => {
  const scratch = t.testdir({})
  const untyped = join(scratch, 'packages')
  await mkdir(untyped)
  // Only these: a folder with all packages would hide those of mypy itself.
  for (const name of ['_pytest', 'anyio', 'h11', 'httpcore', 'httpx', 'pytest', 'sniffio'])
    await symlink(join(String(packages), name), join(untyped, name))
  const mypy = (file: string[]) =>
    python(['-m', 'mypy', '--no-site-packages', '--cache-dir', join(scratch, 'cache'), ...file], {
      env: { MYPYPATH: `${untyped}:${join(folder, 'tests')}` },
    })
  const { code, output } = await mypy([])
  t.equal(code, 0, output.slice(-4_000))
  const wrong = join(scratch, 'wrong.py')
  await writeFile(wrong, 'from tidemark import Tidemark\n\nTidemark("k").crawls.get("one")\n')
  const found = await mypy(['--config-file', join(folder, 'pyproject.toml'), wrong])
  t.match(found.output, /incompatible type "str"; expected "int"/)
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
