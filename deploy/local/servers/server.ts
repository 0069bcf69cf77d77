/** Starts embedded servers and waits until they respond. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { LaunchError } from '../launch-error.ts'
import { type Probe, responds } from '../probe.ts'
import { type ChildSpec, Supervised, type Surroundings } from '../processes/supervisor.ts'

export type Server = ChildSpec & { url: string; port: number; probe: Probe; readyWithinMs: number }

const hopelessAfterDeaths = 5

/**
 * Resolves when the started server responds. If it does not in time, stops it and throws LaunchError SERVER_FAILED with
 * the end of its log.
 */
export async function untilServing(server: Server, running: Supervised, logs: string): Promise<void> {
  await running.launched
  const isHopeless = () => running.isStopping || running.deaths >= hopelessAfterDeaths
  if (await responds(server.port, server.probe, server.readyWithinMs, isHopeless)) return
  await running.stop()
  const log = path.join(logs, `${server.name}.log`)
  throw new LaunchError(
    'SERVER_FAILED',
    `${server.name}; its log (${log}) ends with:\n${await lastLinesOf(log)}`,
  )
}

/** Starts the server and resolves when it responds. Throws LaunchError SERVER_FAILED. */
export async function startServer(server: Server, around: Surroundings): Promise<Supervised> {
  const running = new Supervised(server, around)
  await untilServing(server, running, around.logs)
  return running
}

/** Returns the last lines of a log file, for a message to a person. */
export async function lastLinesOf(file: string, lines = 15): Promise<string> {
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-lines).join('\n')
}
