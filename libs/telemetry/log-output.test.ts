import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { lineOutput, type WriteBytes } from './log-output.ts'

const logFile = path.join(import.meta.dirname, 'log.ts')

test('A process whose log is on a full disk works on and ends by itself', async t => {
  const full = fs.openSync('/dev/full', 'w')
  t.teardown(() => fs.closeSync(full))
  const program = `
    import { setTimeout as sleep } from 'node:timers/promises'
    const { createLog } = await import(${JSON.stringify(logFile)})
    const log = createLog('scene')
    for (let n = 0; n < 20; n++) {
      log.error({ n }, 'the disk is full')
      await sleep(5)
    }
    log.fatal('the last line')
    process.send('works', () => process.exit(0))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', full, 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr?.on('data', data => (errors += data))
  t.teardown(() => child.kill('SIGKILL'))
  const hangs = setTimeout(() => child.kill('SIGKILL'), patient(20_000))
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  t.equal(message, 'works', errors)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  clearTimeout(hangs)
  t.equal(child.exitCode, 0)
})

test('A log whose disk is full', async t => {
  const disk = limitedDisk(40)
  const output = lineOutput(1, disk.write, 1_000)

  await t.test('drops lines', async t => {
    output.write('written as a whole, with 31 bytes\n'.slice(3))
    output.write('cut in the middle\n')
    await until(() => disk.attempts() >= 3)
    output.write('dropped\n')
    await until(() => disk.attempts() >= 4)
    t.equal(disk.text().length, 40)
    t.notMatch(disk.text(), 'dropped')
  })

  await t.test('continues on a new line once there is space', async t => {
    disk.enlarge()
    output.write('after the repair\n')
    await until(() => disk.text().endsWith('after the repair\n'))
    t.match(disk.text(), /^cut in t?.*\nafter the repair\n$/m)
  })
})

test('A log whose reader is slow', async t => {
  const reader = slowReader()
  const output = lineOutput(1, reader.write, 100)
  for (let n = 0; n < 50; n++) output.write(`line ${String(n).padStart(4, '0')}\n`)
  reader.read()
  await until(() => reader.text().includes('line 0009\n'))

  t.match(reader.text(), /^line 0000\nline 0001\n/, 'lines wait in their order')
  t.ok(reader.text().length <= 110, 'the waiting lines are bounded')
})

/** Returns a file on a disk with this number of bytes. */
function limitedDisk(bytes: number) {
  let [written, capacity, attempts] = ['', bytes, 0]
  const write: WriteBytes = (_fd, buffer, offset, done) => {
    attempts++
    const space = capacity - written.length
    const part = buffer.toString('utf8', offset).slice(0, space)
    written += part
    setImmediate(() => (part === '' ? done(fault('ENOSPC'), 0) : done(null, part.length)))
  }
  return {
    write,
    text: () => written,
    attempts: () => attempts,
    enlarge: () => (capacity = Number.POSITIVE_INFINITY),
  }
}

/** Returns a pipe that accepts no bytes until `read` is called. */
function slowReader() {
  let [written, reads] = ['', false]
  const write: WriteBytes = (_fd, buffer, offset, done) => {
    const accepts = reads
    if (accepts) written += buffer.toString('utf8', offset)
    setImmediate(() => (accepts ? done(null, buffer.length - offset) : done(fault('EAGAIN'), 0)))
  }
  return { write, text: () => written, read: () => (reads = true) }
}

const fault = (code: string) => Object.assign(new Error(code), { code })
