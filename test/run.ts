/**
 * `npm test [-- FILES | --changed [BASE]] [--full] [--record]`: types, lint, then every test against servers that it
 * starts itself and stops again. Its last line is always `N passed, N failed`; a type or lint error counts as a
 * failure. Failures are repeated at the end. Without FILES, each failed file is retried once alone, and counts as
 * failed if it fails again.
 */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { command } from '../deploy/local/command.ts'
import { affectedTests } from './running/changed.ts'
import { atSlowness, readCosts, recordCosts } from './running/costs.ts'
import type { FileResult } from './running/file-reader.ts'
import { dearestFiles, type Measurement } from './running/measurement.ts'
import { moduleEnvironment } from './running/packages.ts'
import { phasesOf } from './running/phases.ts'
import { runAll } from './running/schedule.ts'
import { scratchFolder } from './running/scratch.ts'
import { SharedServers } from './running/shared-servers.ts'
import { fullSizes } from './running/sizes.ts'
import { measuredSlowness } from './running/slowness.ts'
import { testFiles } from './running/test-files.ts'
import { endTests, runFile, runGroup } from './running/test-process.ts'
import type { FailedFile, Tally } from './tap-report.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = path.join(root, 'node_modules/.cache')
const print = (line: string) => process.stdout.write(`${line}\n`)

const checks = [
  {
    name: 'types',
    command: [
      // With `--incremental`, only files that a change can affect are checked again. With four checkers, the default,
      // many types are checked four times.
      ...['tsc', '--noEmit', '--checkers', '1'],
      ...['--incremental', '--tsBuildInfoFile', path.join(cache, 'types.tsbuildinfo')],
    ],
    cost: { seconds: 12, cpu: 12 },
  },
  // The console runs in browsers, so it has its own types.
  {
    name: 'types of the console',
    command: ['tsc', '--noEmit', '-p', 'clients/console'],
    cost: { seconds: 3, cpu: 3 },
  },
  { name: 'lint', command: ['biome', 'check', '.', '--colors=off'], cost: { seconds: 3, cpu: 3 } },
]

/** On a busy machine, the check of types takes minutes. */
const checkLimitMs = 600_000
const fileLimitMs = 600_000
/** The time limit of a file with full sizes. */
const fullLimitMs = 4 * 3_600_000

/**
 * If more files than this fail, a busy machine is not the reason, and no file is retried. On a slow machine the number
 * is multiplied by its slowness.
 */
const maxRetries = 5

/** Maximum time to stop all servers after a signal, in ms. */
const endLimitMs = 20_000

/** Maximum number of characters of a repeated line. */
const maxRepeated = 300

const { isRecorded, isChanged, isFull, named } = readArguments(process.argv.slice(2))
const slowness = measuredSlowness()
process.env.TEST_SLOWNESS = String(slowness)
if (slowness > 1)
  print(
    `This machine is ${slowness} times slower than the recorded costs, and time limits are as much longer.`,
  )
if (isFull) for (const [name, size] of Object.entries(fullSizes)) process.env[name] ??= size
const tally: Tally = { passed: 0, failed: 0, skipped: 0 }
const measured = new Map<string, Measurement>()
const scratch = await scratchFolder()
process.env.TMPDIR = scratch
process.env.TEST_DOCUMENTS = path.join(scratch, 'documents')
Object.assign(process.env, await moduleEnvironment(root, cache))
let files: string[] = []
const shared = new SharedServers({ root, cache, dir: scratch, files: () => files, report: print })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void interrupted())

try {
  files = await chosenFiles()
  const failed = await runTests(files)
  if (named.length === 0 && !isChanged) await retry(failed)
  else repeat(failed, 'failed')
  await report()
} catch (error) {
  print(`not ok ${(error as Error).message}`)
  tally.failed++
} finally {
  await cleanUp()
}
if (tally.skipped > 0) print(`${tally.skipped} skipped, for the reasons above`)
print(`${tally.passed} passed, ${tally.failed} failed`)
process.exitCode = tally.failed === 0 && (tally.passed > 0 || isChanged) ? 0 : 1

function readArguments(args: string[]) {
  const flags = args.filter(arg => arg.startsWith('-'))
  const unknown = flags.find(flag => !['--changed', '--full', '--record'].includes(flag))
  if (unknown !== undefined) {
    print(`There is no option ${unknown}. Options are --changed [BASE], --full and --record.`)
    process.exit(2)
  }
  return {
    isRecorded: flags.includes('--record'),
    isChanged: flags.includes('--changed'),
    isFull: flags.includes('--full'),
    named: args.filter(arg => !arg.startsWith('-')),
  }
}

async function chosenFiles(): Promise<string[]> {
  const files = isChanged ? await changedFiles() : await testFiles(root, named.length > 0 ? named : ['.'])
  if (files.length === 0 && !isChanged) throw new Error('there are no test files')
  return files
}

async function changedFiles(): Promise<string[]> {
  if (named.length > 1) throw new Error('--changed takes one commit, and no files')
  const { base, tests, unreached } = await affectedTests(root, named[0])
  print(`${tests.length} test files can be affected by what changed since ${base}`)
  if (unreached.length > 0) print(`No test reaches ${unreached.join(', ')}`)
  return tests
}

/** Runs the checks and all files. Returns the files that failed. */
async function runTests(files: readonly string[]): Promise<FailedFile[]> {
  const costs = atSlowness(await readCosts(), slowness)
  const failed: FailedFile[] = []
  const run = async (group: string[]) => void failed.push(...(await runFiles(group)))
  const checking = checks.map(check => ({ ...check, run: () => runCheck(check) }))
  const processors = os.availableParallelism()
  await runAll(...phasesOf(files, { costs, run, checks: checking, processors }))
  return failed
}

async function runCheck({ name, command: [program = '', ...args] }: (typeof checks)[number]): Promise<void> {
  const tool = path.join(root, 'node_modules', '.bin', program)
  const { code, output } = await command(tool, args, { cwd: root, limitMs: checkLimitMs })
  const text = output || (code === null ? `It was ended after ${checkLimitMs / 60_000} minutes.` : '')
  print(code === 0 ? `ok     ${name}` : `not ok ${name}\n${text}`)
  if (code !== 0) tally.failed++
}

/** Runs files in one process. Returns the files that failed. */
async function runFiles([file = '', ...others]: string[]): Promise<FailedFile[]> {
  const text = await fs.readFile(path.join(root, file), 'utf8')
  const env = {
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || path.join(cache, 'node'),
    ...(await shared.environmentOf(text)),
  }
  const run = { root, scratch, env, limitMs: isFull ? fullLimitMs : fileLimitMs * slowness }
  const failed: FailedFile[] = []
  const ended = (result: FileResult) => {
    for (const line of result.lines) print(line)
    for (const how of ['passed', 'failed', 'skipped'] as const) tally[how] += result.measurement[how]
    measured.set(result.measurement.file, result.measurement)
    failed.push(...result.failed)
  }
  if (others.length === 0) ended(await runFile(file, run))
  else for (const left of await runGroup([file, ...others], run, ended)) ended(await runFile(left, run))
  return failed
}

async function writeMeasurements(): Promise<void> {
  await fs.mkdir(cache, { recursive: true })
  await fs.writeFile(path.join(cache, 'tests.json'), JSON.stringify([...measured.values()], null, 1))
}

/** Writes and prints the cost of each file. */
async function report(): Promise<void> {
  const measurements = [...measured.values()]
  await writeMeasurements()
  if (isRecorded) await recordCosts(measurements, await testFiles(root, ['.']), slowness)
  for (const line of dearestFiles(measurements)) print(line)
}

/**
 * Retries each failed file once without other files beside it, and prints both results: with a hundred processes on two
 * processors, a test may exceed a time limit without a fault of the product. A file whose property failed is never
 * retried: the inputs are random, so a second run would try others.
 */
async function retry(failed: FailedFile[]): Promise<void> {
  const isRetried = (one: FailedFile) => !one.lines.some(line => line.includes('Property failed after'))
  const again = failed.length <= maxRetries * slowness ? failed.filter(isRetried) : []
  if (again.length > 0) print('Failed files are retried alone.')
  for (const first of again) {
    for (const how of ['passed', 'failed', 'skipped'] as const) tally[how] -= first.tally[how] // its second run counts
    const second = await runFiles([first.file])
    repeat([first], second.length === 0 ? 'failed among all others, and passed alone' : 'failed first')
    repeat(second, 'failed again')
  }
  repeat(
    failed.filter(one => !again.includes(one)),
    'failed',
  )
}

/** Cuts long lines, because they were printed before: logs with stacks would hide the failures. */
function repeat(files: FailedFile[], how: string): void {
  for (const { file, lines } of files)
    for (const line of [`${file} ${how}:`, ...lines])
      print(line.length > maxRepeated ? `${line.slice(0, maxRepeated)}…` : line)
}

async function cleanUp(): Promise<void> {
  await shared[Symbol.asyncDispose]().catch(error => print(String(error)))
  await fs.rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

async function interrupted(): Promise<void> {
  setTimeout(() => process.exit(1), endLimitMs).unref() // a server may have been starting meanwhile
  endTests()
  await writeMeasurements().catch(() => {})
  await cleanUp()
  print(`${tally.passed} passed, ${tally.failed + 1} failed`)
  process.exit(1)
}
