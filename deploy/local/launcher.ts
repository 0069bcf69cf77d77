/**
 * The launcher, the program of `npm start [-- URL]`: starts everything, crawls a sample site on the first start and URL
 * if given, and serves until SIGINT, SIGTERM or SIGHUP, or until npm ends.
 * Results go to standard output, everything else to standard error. A second signal ends it without waiting.
 */
import { collectWhenIdle } from '@tidemark/telemetry/idle-collection'
import type { ProgramFiles } from './bundle/programs.ts'
import { readFirstKey } from './first-key.ts'
import { firstSteps } from './first-steps.ts'
import { Instance } from './instance.ts'
import { LaunchError } from './launch-error.ts'
import { plansOf } from './layout.ts'
import { whenNpmEnds } from './processes/parent-death.ts'
import { restoredAt } from './restored.ts'
import { provideFonts } from './servers/fonts.ts'
import { untilIdle } from './servers/idle.ts'
import { type LaunchSettings, readLaunchSettings, root } from './settings.ts'

const began = performance.timeOrigin
const report = (line: string) => process.stderr.write(`${line}\n`)
const stop = new AbortController()
/** A download that ends because of the stop is no fault. */
const reportUnlessStopping = (line: string) => stop.signal.aborted || report(line)

/** Resolves with the exit code when everything has stopped. */
export async function launch(programs: ProgramFiles): Promise<number> {
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreFullDisk)
  return run(programs).catch(reportFailure)
}

async function run(files: ProgramFiles): Promise<number> {
  const settings = readLaunchSettings(process.env)
  const programs = { ...files, plans: plansOf(settings) }
  await consoleFiles()
  const instance = new Instance({ settings, programs, env: process.env, report })
  const stopped = untilStopped(() => instance.kill())
  try {
    await Promise.race([serve(instance, settings), stopped])
    await stopped
    return 0
  } finally {
    stop.abort()
    await instance.stop()
  }
}

/** Builds the console if its sources have changed. Everything else works without it, for example in a read-only folder. */
async function consoleFiles(): Promise<void> {
  const { buildConsole } = await import('../clients/build-console.ts')
  await buildConsole(root).catch(error => report(`The console could not be built: ${error.message}`))
}

async function serve(instance: Instance, { dir, fonts }: LaunchSettings): Promise<void> {
  const isFresh = !readFirstKey(dir)?.run && restoredAt(dir) === null
  const sample = isFresh ? await (await import('./sample-site/sample-site.ts')).startSampleSite() : null
  if (sample !== null) instance.extra = { SAMPLE_ORIGIN: sample.host }
  await instance.start()
  if (stop.signal.aborted) return
  void collectWhenIdle()
  process.stdout.write(
    `\nTidemark is ready at ${instance.baseUrl} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`,
  )
  await firstSteps({ dir, base: instance.baseUrl, sample, url: process.argv[2], signal: stop.signal })
  if (sample !== null) instance.endSample()
  await sample?.close()
  // Reading package lists takes some seconds of processor time, which the first crawls need.
  if (fonts !== null) await provideFonts(fonts, reportUnlessStopping, () => untilIdle(stop.signal))
}

/** Resolves at the first signal to stop. The second one ends everything immediately. */
function untilStopped(kill: () => void): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      report('Stopping …')
      stop.abort()
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (stop.signal.aborted) {
          kill()
          process.exit(1)
        }
        end()
      })
    }
    whenNpmEnds(process.env, () => stop.signal.aborted || end())
  })
}

/** Output that is redirected to a full disk loses lines, and the instance continues. */
function ignoreFullDisk(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error
}

function reportFailure(error: unknown): number {
  report(error instanceof LaunchError ? `Not started: ${error.message}` : String((error as Error).stack))
  return 1
}
