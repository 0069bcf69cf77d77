/**
 * `node grouped.ts FILE…`: runs test files one after another in this process, which saves most of the costs of a
 * process. Comments in the TAP mark where each file begins and ends. The mark of the end has the cost of the file.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import tap from 'tap'
import { type Ended, groupMarks } from './group-marks.ts'

const betweenLooksMs = 5

for (const file of process.argv.slice(2)) {
  const began = performance.now()
  const before = process.cpuUsage()
  tap.comment(groupMarks.begin(file))
  await import(pathToFileURL(path.resolve(file)).href).catch(error => tap.fail(String(error?.stack ?? error)))
  while (!tap.idle) await sleep(betweenLooksMs)
  const { user, system } = process.cpuUsage(before)
  const ended: Ended = {
    seconds: (performance.now() - began) / 1_000,
    cpu: (user + system) / 1e6,
  }
  tap.comment(groupMarks.end(ended))
}
