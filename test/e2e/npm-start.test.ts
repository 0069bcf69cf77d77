/**
 * `npm start` leaves no process behind when only its npm process gets a signal, and the next start finds nothing to
 * stop.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '@tidemark/config/free-ports'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { plantSeed, sharedBin } from './system.ts'

const root = join(import.meta.dirname, '../..')
/** A start that is interrupted waits for the initialization of the database, which takes seconds on a busy machine. */
const endsWithinMs = patient(45_000)

type Started = { pid: number; parent: number; since: string }

test('npm start', { timeout: patient(300_000) }, async t => {
  for (const [signal, when, printed, isSeeded] of [
    ['SIGTERM', 'ready for the first time', /is ready at/, false],
    ['SIGKILL', 'ready', /is ready at/, true],
    ['SIGKILL', 'still starting', /Starting Postgres/, false],
  ] as const)
    await t.test(`ends completely after ${signal} to npm alone when it is ${when}`, async t => {
      const [port] = await freePorts(1)
      const dir = t.testdir()
      if (isSeeded) await plantSeed(dir, {})
      const npm = spawn('npm', ['start'], {
        cwd: root,
        env: { ...process.env, TIDEMARK_DIR: dir, TIDEMARK_BIN: sharedBin(), PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let text = ''
      for (const stream of [npm.stdout, npm.stderr]) stream.on('data', data => (text += data))
      const family = familyOf(npm.pid ?? 0)
      t.teardown(() => {
        for (const { pid } of family.alive()) process.kill(pid, 'SIGKILL')
      })
      await until(() => family.alive().length > 0 && printed.test(text), 90_000)
      t.ok(family.alive().length >= 3, `${family.alive().length} processes`)

      npm.kill(signal)
      await once(npm, 'exit')
      const began = performance.now()
      await until(() => family.alive().length === 0, endsWithinMs).catch(() => {})
      t.comment(`after ${Math.round(performance.now() - began)} ms`)
      t.strictSame(family.alive().map(nameOf), [])
    })
})

/** Finds a process and its descendants by pid and start time, even if processes between them have ended. */
function familyOf(pid: number) {
  const known = new Map<number, Started>()
  const alive = () => {
    const all = processes()
    const eldest = all.find(one => one.pid === pid)
    if (eldest !== undefined && known.size === 0) known.set(pid, eldest)
    for (let size = -1; size !== known.size; ) {
      size = known.size
      for (const one of all) if (known.has(one.parent) && !known.has(one.pid)) known.set(one.pid, one)
    }
    return all.filter(one => known.get(one.pid)?.since === one.since)
  }
  alive()
  return { alive }
}

function processes(): Started[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        // The name is in parentheses and may contain any character.
        const [state, parent, ...rest] =
          readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), since: rest[17] ?? '' }]
      } catch {
        return []
      }
    })
}

function nameOf({ pid }: Started): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return 'gone'
  }
}
