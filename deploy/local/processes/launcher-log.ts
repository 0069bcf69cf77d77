/**
 * A record of the processes for later readers who have not seen the launcher's output: `launcher.log` has each start
 * and each death, in lines of JSON with their time.
 */
import fs from 'node:fs'
import path from 'node:path'
import { endOf } from '../servers/server.ts'
import { openLog } from './log-file.ts'
import type { Death } from './supervisor.ts'

export type LauncherLog = {
  started(name: string, pid: number): void
  died(death: Death): void
  /** The same for a person, without repeating why a process keeps dying. */
  tell(death: Death): Promise<void>
}

/** After this time without a death the next one is printed again. */
const quietMs = 300_000

/** @param logs the folder */
export function launcherLog(
  logs: string,
  report: (line: string) => void,
  now: () => number = Date.now,
): LauncherLog {
  const lastDeath = new Map<string, number>()
  const note = (level: string, fields: object) => {
    const time = new Date(now()).toISOString()
    append(
      path.join(logs, 'launcher.log'),
      `${JSON.stringify({ level, time, service: 'launcher', ...fields })}\n`,
    )
  }
  return {
    started: (process, pid) => note('info', { process, pid, msg: 'started' }),
    died: ({ name, how, code, waitMs }) => note('warn', { process: name, code, wait_ms: waitMs, msg: how }),
    async tell({ name, how, waitMs }) {
      const news = `${name} ${how}; starting it again in ${waitMs / 1000} s`
      const log = path.join(logs, `${name}.log`)
      const isNews = now() - (lastDeath.get(name) ?? Number.NEGATIVE_INFINITY) > quietMs
      lastDeath.set(name, now())
      report(isNews ? `${news}. The end of ${log}:\n${await endOf(log, 8)}` : `${news} (${log})`)
    },
  }
}

/** A full disk ends no launcher. */
function append(file: string, line: string): void {
  try {
    const log = openLog(file)
    try {
      fs.writeSync(log, line)
    } finally {
      fs.closeSync(log)
    }
  } catch {
    // It is still printed.
  }
}
