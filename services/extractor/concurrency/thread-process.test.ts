/** Threads in a process of their own: the end of that process ends no other work. */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'tap'
import { createThread, ThreadTerminated } from './thread.ts'

const code = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ signal, fault }) => {
  if (fault) throw new RangeError(fault)
  if (signal) process.kill(process.pid, signal)
  else parentPort.postMessage({ pid: process.pid, names: Object.keys(process.env), bytes: new Uint8Array(2) })
})
parentPort.postMessage('ready')`
const file = new URL(`data:text/javascript,${encodeURIComponent(code)}`)

const options = { file, timeoutMs: 20_000, maxMegabytes: 64, maxMegabytesBeside: 64, isProcess: true }

type Request = { signal?: NodeJS.Signals; fault?: string }
type Answer = { pid: number; names: string[]; bytes: Uint8Array }

test('A thread in its own process', { timeout: 120_000 }, async t => {
  process.env.DATABASE_URL ??= 'postgres://secret'
  await using thread = createThread<Request, Answer>(options)
  const first = await thread.request({})
  t.not(first.pid, process.pid)
  t.strictSame([...first.bytes], [0, 0], 'responses are cloned')
  t.notOk(first.names.includes('DATABASE_URL'), 'it has no access to the secrets of the service')

  await t.rejects(thread.request({ signal: 'SIGABRT' }), new ThreadTerminated('memory'))
  await t.rejects(thread.request({ fault: 'broken' }), new RangeError('broken'))
  const second = await thread.request({})
  t.not(second.pid, first.pid, 'and the next request gets another process')

  process.kill(second.pid, 'SIGKILL')
  await sleep(500)
  t.not((await thread.request({})).pid, second.pid, 'also if the process ended between two requests')
})

test('A shutdown of the whole group while its process starts is no fault of a request', async t => {
  await using thread = createThread<Request, Answer>(options)
  const rejected = t.rejects(thread.request({}), new ThreadTerminated('closed'))
  await sleep(1)
  const child = Number(
    execFileSync('pgrep', ['-P', `${process.pid}`, '-f', 'thread-process-main'], { encoding: 'utf8' }),
  )
  process.kill(child, 'SIGTERM')
  await rejected
})
