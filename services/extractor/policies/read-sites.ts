/**
 * After a run begins, reads its site's policy for AI bots once and records it in the run's facet `site`. A row holds
 * the task until it is recorded, and an existing facet is never replaced: a crash repeats the task, and the cache
 * serves the site's texts.
 */

import type { Bus } from '@tidemark/bus/connection'
import { Refusal } from '@tidemark/bus/refusal'
import { repeat } from '@tidemark/bus/repeat'
import { withWorkSpan } from '@tidemark/bus/trace'
import type { WakeUp } from '@tidemark/bus/wake-up'
import type { RunSiteEvent } from '@tidemark/contracts/run-site'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { SiteReading, SiteReadings } from '../adapters/site-readings.ts'
import { sitePolicyEvent } from '../domain/site-reading.ts'
import type { ReadSiteFile } from '../handlers/site-files.ts'

type Ports = {
  bus: Pick<Bus, 'nc'>
  readings: SiteReadings
  readFile: ReadSiteFile
  /** Records the policy in the run, unless one exists. */
  publish: (reading: SiteReading, event: RunSiteEvent) => Promise<void>
  /** Called when a reading may have become due. */
  wakeUp: WakeUp
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Milliseconds between two looks for readings that were postponed. New readings wake the loop. */
const pollIntervalMs = 1_000
/** Concurrent readings, so that slow sites do not delay others. */
const atOnce = 32
/** Maximum time of a request to the fetcher; most of it is the wait for a host slot. */
const timeoutMs = 60_000
const maxAttempts = 3
const restSeconds = 30
const fetcherRestSeconds = 5

/** Polls until the signal aborts. The next process repeats interrupted work. */
export async function readSites(ports: Ports): Promise<void> {
  const { bus, readings, wakeUp, signal, report } = ports
  const underWay = new Set<number>()
  const look = async () => {
    const due = await readings.due(atOnce - underWay.size, [...underWay])
    for (const reading of due) {
      underWay.add(reading.runId)
      void traced(ports, reading).finally(() => underWay.delete(reading.runId))
    }
  }
  await repeat(look, { name: 'the reading of sites', bus, pauseMs: pollIntervalMs, wakeUp, signal, report })
}

const traced = (ports: Ports, reading: SiteReading): Promise<void> =>
  withWorkSpan(
    spanNames.readSite,
    { service: 'extractor', trace: reading.trace },
    { [spanAttributes.runId]: reading.runId },
    () => carryOut(ports, reading),
  )

async function carryOut(ports: Ports, reading: SiteReading): Promise<void> {
  const { readings, signal, report } = ports
  const { runId, attempts } = reading
  try {
    if (await readAndPublish(ports, reading)) await readings.done(runId)
    else await readings.later(runId, restSeconds * (attempts + 1), attempts + 1)
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof Refusal)) report(error)
    await readings.later(runId, fetcherRestSeconds, attempts).catch(report)
  }
}

/** Returns false if the reading must be tried again. Nothing is recorded for an unreachable site. */
async function readAndPublish(
  { readings, readFile, publish }: Ports,
  reading: SiteReading,
): Promise<boolean> {
  const { runId, origin, delayMs, readsLlms, readsLlmsFull, own, attempts } = reading
  const wanted = { timeoutMs, delayMs, workId: -runId, runId, ...(own && { asRun: own }) }
  const robots = await readFile(origin, 'robots', wanted)
  const llms = readsLlms ? await readFile(origin, 'llms', wanted) : null
  const llmsFull = readsLlmsFull ? await readFile(origin, 'llmsFull', wanted) : null
  if (attempts + 1 < maxAttempts && [robots, llms, llmsFull].some(wasLate)) return false
  if (robots.status !== null && !(await readings.isDeleted(runId)))
    await publish(reading, sitePolicyEvent(origin, { robots, llms, llmsFull }))
  return true
}

const wasLate = (file: SiteFile | null): boolean => file?.error?.reason === 'timeout'
