/** Writes `launcher.log`: each start and each death of a process, in lines of JSON with their time. */
import fs from 'node:fs'
import path from 'node:path'
import { lastLinesOf } from '../servers/server.ts'
import { openLog } from './log-file.ts'
import type { Death } from './supervisor.ts'

export type LauncherLog = {
  started(name: string, pid: number): void
  died(death: Death): void
  /** Prints the death for a person. The reason is not repeated while a process keeps dying in the same manner. */
  reportDeath(death: Death): Promise<void>
}

/** After this time without such a death the reason of the next one is printed again. */
const quietMs = 300_000

/**
 * Returns the log.
 * @param logs folder of the log files
 */
export function launcherLog(
  logs: string,
  report: (line: string) => void,
  now: () => number = Date.now,
): LauncherLog {
  const lastDeath = new Map<string, number>()
  const write = (level: string, fields: object) => {
    const time = new Date(now()).toISOString()
    append(
      path.join(logs, 'launcher.log'),
      `${JSON.stringify({ level, time, service: 'launcher', ...fields })}\n`,
    )
  }
  return {
    started: (process, pid) => write('info', { process, pid, msg: 'started' }),
    died: ({ name, how, code, waitMs }) => write('warn', { process: name, code, wait_ms: waitMs, msg: how }),
    async reportDeath({ name, how, waitMs }) {
      const news = `${name} ${how}; starting it again in ${waitMs / 1000} s`
      const log = path.join(logs, `${name}.log`)
      const manner = `${name} ${how}`
      const isNews = now() - (lastDeath.get(manner) ?? Number.NEGATIVE_INFINITY) > quietMs
      lastDeath.set(manner, now())
      report(isNews ? `${news}. The end of ${log}:\n${await lastLinesOf(log, 8)}` : `${news} (${log})`)
    },
  }
}

/** Appends a line. Errors are ignored, so that a full disk does not end the launcher. */
function append(file: string, line: string): void {
  try {
    const log = openLog(file)
    try {
      fs.writeSync(log, line)
    } finally {
      fs.closeSync(log)
    }
  } catch {
    // The launcher prints the line, too.
  }
}
