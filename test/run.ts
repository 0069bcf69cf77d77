/**
 * `npm test [-- FILES]`: types, lint, then every test against servers that it starts itself and takes
 * away again. Its last line is always `N passed, N failed`; a type or lint error counts as a failure. What failed is told
 * again at the end. In a run of everything a file that failed is tried once more, alone: it fails if it fails again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findBinaries } from '../deploy/local/binaries.ts'
import { command } from '../deploy/local/command.ts'
import { provideFonts } from '../deploy/local/fonts.ts'
import { postgresServer } from '../deploy/local/postgres.ts'
import { freePorts } from '../deploy/local/probe.ts'
import { startServer } from '../deploy/local/server.ts'
import { type SharedSystem, sharedBin, startSystem } from './e2e/system.ts'
import { swiftIn } from './programs.ts'
import { type FailedFile, type Tally, TapReport } from './tap-report.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const tool = (name: string) => path.join(root, 'node_modules', '.bin', name)
const print = (line: string) => process.stdout.write(`${line}\n`)

const checks = [
  { name: 'types', program: 'tsc', args: ['--noEmit'] },
  { name: 'lint', program: 'biome', args: ['check', '.', '--colors=off'] },
]

/** On a busy machine types take minutes. */
const checkLimitMs = 600_000

/** More files than this do not fail because the machine was busy. */
const mostTriedAgain = 5

/** For all servers to be stopped, when it is told to end. */
const endLimitMs = 20_000

/** Characters of a line. */
const longestRetold = 300

/**
 * They start twenty processes and more, and load them: whatever ran beside them would wait for the processor. And what
 * they look for, they should not find because of somebody else.
 */
const alone = ['alerts', 'cluster', 'drain', 'due-monitors', 'pooler', 'scale-out', 'slow-clients'].map(
  name => `test/e2e/${name}.test.ts`,
)

let tap: ChildProcess | undefined
const cleanups: (() => Promise<void>)[] = []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void interrupted())

const tally: Tally = { passed: 0, failed: 0, skipped: 0 }
try {
  const files = await testFiles(process.argv.slice(2))
  if (files.length === 0) throw new Error('there are no test files')
  const [faults, servers] = await Promise.all([check(), testServers()])
  tally.failed += faults
  const system = await sharedBy(files)
  const objectStore = (await anyOf(files, 'startObjectStore()')) && {
    TEST_SWIFT: await swiftIn(sharedBin(), print),
  }
  const env = { ...servers, ...objectStore, ...(system && { SHARED_SYSTEM: JSON.stringify(system) }) }
  const [besides, last] = [false, true].map(isAlone => files.filter(file => alone.includes(file) === isAlone))
  const failed = [...(await runTests(besides, env)), ...(await runTests(last, env, '--jobs=1'))]
  if (process.argv.length === 2) await tryAgain(failed, env)
  else retell(failed, 'failed')
} catch (error) {
  print(`not ok ${(error as Error).message}`)
  tally.failed++
} finally {
  await cleanUp()
}
if (tally.skipped > 0) print(`${tally.skipped} skipped, for the reasons above`)
print(`${tally.passed} passed, ${tally.failed} failed`)
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1

/** How many of the checks found faults; tells all of them. */
async function check(): Promise<number> {
  let faults = 0
  for (const { name, program, args } of checks) {
    const { code, output } = await command(tool(program), args, { cwd: root, limitMs: checkLimitMs })
    const said = output || (code === null ? `It was ended after ${checkLimitMs / 60_000} minutes.` : '')
    print(code === 0 ? `ok     ${name}` : `not ok ${name}\n${said}`)
    if (code !== 0) faults++
  }
  return faults
}

/** Starts Postgres, finds the other programs, and says where they are in the words that tests read. */
async function testServers(): Promise<NodeJS.ProcessEnv> {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'tidemark-test-'))
  cleanups.push(() => fs.rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  await fs.chmod(dir, 0o755) // Postgres runs as another user when we are root
  const bin = sharedBin()
  const [binaries, postgres] = await Promise.all([
    findBinaries(['nats', 'redis'], bin, print),
    testPostgres(dir),
    provideFonts(bin, print),
  ])
  return { TEST_DATABASE_URL: postgres, TEST_NATS_BIN: binaries.nats, TEST_REDIS_BIN: binaries.redis }
}

async function testPostgres(dir: string): Promise<string> {
  const [port = 0] = await freePorts(1)
  const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' } // a test outlives no power cut
  const server = await postgresServer({ dir: path.join(dir, 'postgres'), port, env: process.env, settings })
  const running = await startServer(server, { logs: dir })
  cleanups.push(() => running.stop())
  return server.url
}

/** The system that tests share, where there are some. */
async function sharedBy(files: string[]): Promise<SharedSystem | null> {
  if (!(await anyOf(files, 'sharedSystem()'))) return null
  const system = await startSystem()
  cleanups.push(() => system.stop())
  return { dir: system.dir, port: Number(new URL(system.base).port) }
}

/** Whether one of the files has this in its text. */
async function anyOf(files: string[], call: string): Promise<boolean> {
  const texts = await Promise.all(files.map(file => fs.readFile(path.join(root, file), 'utf8')))
  return texts.some(text => text.includes(call))
}

/** The files that were named (or all in a folder that was named), else every test file. */
async function testFiles(named: string[]): Promise<string[]> {
  const files: string[] = []
  const exclude = (name: string) =>
    ['node_modules', '.tidemark', '.tap', '.git'].includes(path.basename(name))
  for (const name of named.length > 0 ? named : ['.']) {
    const file = path.relative(root, path.resolve(root, name))
    const isFolder = (await fs.stat(path.join(root, file))).isDirectory()
    if (!isFolder) files.push(file)
    else
      for await (const found of fs.glob(path.join(file, '**/*.test.ts'), { cwd: root, exclude }))
        files.push(found)
  }
  return [...new Set(files)].sort()
}

/**
 * A test that waits for a hundred processes on two processors may wait too long for a reason that is not the product's:
 * what failed among everything is tried once alone, and both is told. Never what searches by chance: a property that
 * did not hold once does not hold.
 */
async function tryAgain(failed: FailedFile[], env: NodeJS.ProcessEnv): Promise<void> {
  const isSearch = await Promise.all(failed.map(({ file }) => anyOf([file], 'fast-check')))
  const again = failed.length > mostTriedAgain ? [] : failed.filter((_, index) => isSearch[index] !== true)
  if (again.length > 0) print('What failed is tried again, alone.')
  for (const first of again) {
    for (const how of ['passed', 'failed', 'skipped'] as const) tally[how] -= first.tally[how] // its end counts
    const second = await runTests([first.file], env, '--jobs=1')
    retell([first], second.length === 0 ? 'failed among all others, and passed alone' : 'failed first')
    retell(second, 'failed again')
  }
  retell(
    failed.filter(one => !again.includes(one)),
    'failed',
  )
}

/** Whole lines stand where they were told first; logs with stacks would bury what failed. */
function retell(files: FailedFile[], how: string): void {
  for (const { file, told } of files)
    for (const line of [`${file} ${how}:`, ...told])
      print(line.length > longestRetold ? `${line.slice(0, longestRetold)}…` : line)
}

/** Which of the files failed. */
async function runTests(
  files: string[] = [],
  env: NodeJS.ProcessEnv,
  ...flags: string[]
): Promise<FailedFile[]> {
  if (files.length === 0) return []
  const report = new TapReport(print)
  tap = spawn(process.execPath, [tool('tap'), '--reporter=tap', ...flags, ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (tap.stdout === null) throw new Error('tap has no output')
  const ended = once(tap, 'close')
  for await (const line of createInterface({ input: tap.stdout })) report.read(line)
  const [code] = await ended
  const { passed, failed, skipped } = report.tally
  tally.passed += passed
  tally.skipped += skipped
  tally.failed += failed
  if (code !== 0 && failed === 0) throw new Error(`tap ended with code ${code}`)
  return report.failedFiles
}

async function cleanUp(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean().catch(error => print(String(error)))
}

async function interrupted(): Promise<void> {
  setTimeout(() => process.exit(1), endLimitMs).unref() // whatever was being started meanwhile
  tap?.kill('SIGTERM')
  await cleanUp()
  print(`${tally.passed} passed, ${tally.failed + 1} failed`)
  process.exit(1)
}
