/**
 * Runs test files in a Node process, reads their TAP, and measures their costs. Node runs a file without tap's loaders:
 * those are for mocks and coverage, and each Node process that a test starts would load them, too.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type End, FileReader, type FileResult } from './file-reader.ts'
import { groupMarks } from './group-marks.ts'
import type { Usage } from './measurement.ts'

export type TestRun = {
  root: string
  /** Folder of the files in which test processes report their costs to this process. */
  scratch: string
  env: NodeJS.ProcessEnv
  /** A process that takes longer is ended, and its file counts as failed. */
  limitMs: number
}

const observer = pathToFileURL(path.join(import.meta.dirname, 'observe.ts')).href
const grouped = path.join(import.meta.dirname, 'grouped.ts')
/** How long a test that exceeded its limit may take to end itself, and then to report its open handles. */
const abortMs = 3_000
/** How long to read the output after the process has exited: a server that it left behind may keep the pipe open. */
const drainMs = 2_000

/** With a large young generation the simulator takes a third less processor time. */
const youngGeneration = ['--max-semi-space-size=32', '--min-semi-space-size=32']

const running = new Set<ChildProcess>()
let count = 0

/** Runs a file in a process of its own. */
export async function runFile(file: string, run: TestRun): Promise<FileResult> {
  const began = performance.now()
  const usageFile = path.join(run.scratch, `usage-${++count}.json`)
  const reader = new FileReader(file)
  const { code, signal } = await runProcess(
    ['--import', observer, file],
    { TEST_USAGE: usageFile },
    run,
    line => {
      reader.read(line)
    },
  )
  const seconds = (performance.now() - began) / 1_000
  return reader.close({ code, signal, seconds, usage: await usageIn(usageFile) })
}

/**
 * Runs files one after another in one process. Calls `ended` as soon as a file has ended, and resolves with the files
 * that have not run because a file before them ended the process.
 */
export async function runGroup(
  files: readonly string[],
  run: TestRun,
  ended: (result: FileResult) => void,
): Promise<string[]> {
  const left = new Set(files)
  let reader: FileReader | null = null
  const close = (end: End) => {
    if (reader !== null) ended(reader.close(end))
    reader = null
  }
  const began = performance.now()
  const { code, signal } = await runProcess([grouped, ...files], {}, run, line => {
    const mark = groupMarks.in(line)
    if (mark === null) reader?.read(line)
    else if ('begins' in mark) {
      left.delete(mark.begins)
      reader = new FileReader(mark.begins)
    } else {
      const { seconds, cpu } = mark.ended
      const usage = { cpu, childCpu: 0, servers: {}, waited: 0, waits: [] }
      close({ code: 0, signal: null, seconds, usage })
    }
  })
  close({ code, signal, seconds: (performance.now() - began) / 1_000, usage: null })
  return [...left]
}

/** Ends all test processes. Their servers end with them. */
export function endTests(): void {
  for (const child of running) child.kill('SIGTERM')
}

async function runProcess(
  args: string[],
  more: NodeJS.ProcessEnv,
  { root, env, limitMs }: TestRun,
  read: (line: string) => void,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const child = spawn(process.execPath, [...youngGeneration, ...args], {
    cwd: root,
    env: { ...process.env, ...env, ...more, TAP_TIMEOUT: String(limitMs / 1_000) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  createInterface({ input: child.stdout }).on('line', read)
  const limits = [
    setTimeout(() => child.kill('SIGALRM'), limitMs + abortMs), // tap reports what is still open
    setTimeout(() => child.kill('SIGKILL'), limitMs + 2 * abortMs),
  ]
  const closed = once(child, 'close')
  const [code, signal] = await once(child, 'exit')
  for (const limit of limits) clearTimeout(limit)
  running.delete(child)
  await Promise.race([closed, sleep(drainMs, undefined, { ref: false })])
  return { code, signal }
}

async function usageIn(file: string): Promise<Usage | null> {
  const text = await fs.readFile(file, 'utf8').catch(() => null)
  await fs.rm(file, { force: true })
  return text === null ? null : JSON.parse(text)
}
