/**
 * Collects the errors of services that reject their settings. Such a service prints the errors and ends with its own
 * exit code.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LaunchError } from './launch-error.ts'
import type { Supervised } from './processes/supervisor.ts'

/** Exit code of `runProcess` for invalid settings. A restart cannot help. */
export const badSettingsExit = 78

/** Maximum wait in ms for the errors of other processes. A process with many services takes longer to report them. */
const othersReportWithinMs = 3_000
const betweenLooksMs = 50

/**
 * Returns one error with every fault that the services have printed, once the other processes had time to print theirs.
 */
export async function faultsIn(logs: string, services: Supervised[]): Promise<LaunchError> {
  const end = performance.now() + othersReportWithinMs
  const isSilent = ({ deaths }: Supervised) => deaths === 0
  while (performance.now() < end && services.some(isSilent)) await sleep(betweenLooksMs)
  // A running process may have complained at an earlier start.
  const dead = services.filter(service => !isSilent(service))
  const texts = await Promise.all(
    dead.map(({ spec }) => fs.readFile(path.join(logs, `${spec.name}.log`), 'utf8').catch(() => '')),
  )
  const faults = texts.flatMap(text => lastFaults(text))
  return new LaunchError('SETTINGS_BAD', `\n${[...new Set(faults)].join('\n')}`)
}

/** Returns the indented lines below the last complaint of a log. */
function lastFaults(log: string): string[] {
  const sections = log.split(/^.*settings? (?:is|are) wrong:\n/m)
  return sections.length === 1
    ? []
    : (sections.at(-1) ?? '').split('\n').filter(line => line.startsWith('  '))
}
