import { execFileSync, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
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

test('The last lines of a process that exits while its thread pool is busy keep their order', async t => {
  const file = path.join(t.testdir(), 'log')
  const log = fs.openSync(file, 'w')
  const program = `
    import { pbkdf2 } from 'node:crypto'
    const { createLog } = await import(${JSON.stringify(logFile)})
    const log = createLog('fixture')
    for (let n = 0; n < 8; n++) pbkdf2('password', 'salt', 50_000, 64, 'sha512', () => {})
    log.info('first')
    log.info('stopped')
    process.exit(0)`
  const stdio = ['ignore', log, 'inherit'] satisfies StdioOptions
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio })
  fs.closeSync(log)
  await once(child, 'exit')
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n')
  t.strictSame(
    lines.map(line => JSON.parse(line).msg),
    ['first', 'stopped'],
  )
})

// Node.js sets pipes to non-blocking when a program reads `process.stdout`.
for (const [mode, statement] of Object.entries({ blocks: '', 'does not block': 'process.stdout.isTTY' }))
  test(`A process that exits while its pipe is full, which ${mode}, loses no line`, async t => {
    const pipe = path.join(t.testdir(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const reader = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK)
    const writer = fs.openSync(pipe, fs.constants.O_WRONLY)
    const program = `
      import { setTimeout as sleep } from 'node:timers/promises'
      ${statement}
      const { createLog } = await import(${JSON.stringify(logFile)})
      const log = createLog('fixture')
      for (let n = 0; n < 2000; n++) log.info({ n, pad: 'x'.repeat(200) }, 'line')
      await sleep(50)
      await new Promise(resolve => process.send('full', resolve))
      log.fatal('why it ended')
      process.exit(1)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', writer, 'inherit', 'ipc'],
    })
    fs.closeSync(writer)
    t.teardown(() => child.kill('SIGKILL'))
    const hangs = setTimeout(() => child.kill('SIGKILL'), patient(20_000))
    await Promise.race([once(child, 'message'), once(child, 'exit')])
    let text = ''
    const reading = new net.Socket({ fd: reader, writable: false }).on('data', data => (text += data))
    t.teardown(() => reading.destroy())
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    clearTimeout(hangs)
    t.equal(child.exitCode, 1)
    await until(() => text.includes('why it ended'))
    const lines = text.trimEnd().split('\n')
    t.strictSame(
      lines.slice(0, -1).map(line => JSON.parse(line).n),
      [...Array(2000).keys()],
    )
    t.match(lines.at(-1), 'why it ended')
  })

test('A log whose disk is full', async t => {
  const disk = limitedDisk(40)
  const output = lineOutput(1, disk.write, 1_000)

  await t.test('drops lines', async t => {
    output.write('written as a whole, with 31 bytes\n'.slice(3))
    output.write('cut in the middle\n')
    output.write('dropped\n')
    t.equal(disk.text().length, 40)
    t.notMatch(disk.text(), 'dropped')
  })

  await t.test('continues on a new line once there is space', async t => {
    disk.enlarge()
    output.write('after the repair\n')
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
  let [written, capacity] = ['', bytes]
  const write: WriteBytes = (_fd, buffer, offset) => {
    const part = buffer.toString('utf8', offset).slice(0, capacity - written.length)
    if (part === '') throw fault('ENOSPC')
    written += part
    return part.length
  }
  return { write, text: () => written, enlarge: () => (capacity = Number.POSITIVE_INFINITY) }
}

/** Returns a pipe that accepts no bytes until `read` is called. */
function slowReader() {
  let [written, reads] = ['', false]
  const write: WriteBytes = (_fd, buffer, offset) => {
    if (!reads) throw fault('EAGAIN')
    written += buffer.toString('utf8', offset)
    return buffer.length - offset
  }
  return { write, text: () => written, read: () => (reads = true) }
}

const fault = (code: string) => Object.assign(new Error(code), { code })
