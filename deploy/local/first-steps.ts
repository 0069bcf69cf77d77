/**
 * Prints the first steps after a start: the address of the operator screen, a project and its key, the addresses of the
 * console and of the reference, a first crawl, and three lines to copy. The sample site is crawled once per data folder,
 * and a URL on the command line at every start.
 */
import path from 'node:path'
import { createProject } from './admin-client.ts'
import { call } from './call.ts'
import { type Api, crawl, type Run } from './crawl.ts'
import { type FirstKey, readFirstKey, writeFirstKey } from './first-key.ts'
import { LaunchError } from './launch-error.ts'
import { operatorKeyOf, passwordsIn } from './passwords.ts'
import { liveLine } from './processes/live-line.ts'
import { restoredAt } from './restored.ts'
import type { SampleSite } from './sample-site/sample-site.ts'

const anotherKey = 'Create another one: npm run admin -- create-key --name first'

const print = (text: string) => process.stdout.write(`${text}\n`)

export type FirstSteps = {
  dir: string
  base: string
  /** Null: it has been crawled before. */
  sample: SampleSite | null
  /** A further site to crawl. */
  url: string | undefined
  signal: AbortSignal
}

/** Prints the first steps. Errors are only printed, because Tidemark works without these steps. */
export async function firstSteps({ dir, base, sample, url, signal }: FirstSteps): Promise<void> {
  try {
    const operator = `Open the operator screen:      ${base}/console#key=${operatorKeyOf(process.env, passwordsIn(dir))}`
    const known = readFirstKey(dir)
    const restored = restoredAt(dir)
    if (known === null && restored !== null) {
      print(`This is the backup of ${restored}: its projects and keys are those of that time.`)
      print(`${operator}\n`)
      return
    }
    let first =
      known ??
      (await createFirstProject(dir).catch(error => {
        if (/already/.test(error.message)) print(`The first API key is in no file. ${anotherKey}`)
        print(`${operator}\n`)
        throw error
      }))
    const api = { base, key: first.api_key }
    const status = known === null ? 200 : await statusOfKey(api, known)
    if (status === 401) {
      print(`The first API key is not valid. ${anotherKey}`)
      print(`${operator}\n`)
      return
    }
    print(`API key of the project "first" (unlimited): ${first.api_key}`)
    print(`Open the console with the key: ${base}/console#key=${first.api_key}`)
    print(`Try the API in a browser:      ${base}/docs#key=${first.api_key}`)
    print(`${operator}\n`)
    if (sample !== null) {
      first = { ...first, run: await crawlSample(api, sample, signal) }
      if (signal.aborted) return
      writeFirstKey(dir, first)
    }
    if (first.run !== null && status !== 404) print(curlLines(api, first.run))
    if (url !== undefined) await crawlUrl(api, url, signal)
  } catch (error) {
    if (!signal.aborted)
      process.stderr.write(`${error instanceof LaunchError ? error.message : (error as Error).stack}\n`)
  }
}

/** Returns 401 if the key was revoked, and 404 if the crawl of the sample site was deleted. */
async function statusOfKey({ base, key }: Api, { run }: FirstKey): Promise<number> {
  const path = run === null ? '/v1/crawls?limit=1' : `/v1/crawls/${run.id}`
  return (await call(base, 'GET', path, { key })).status
}

async function createFirstProject(dir: string): Promise<FirstKey> {
  const wanted = { name: 'first', tier: 'studio', unlimited: true } as const
  const { project_id, api_key, prefix } = await createProject(path.join(dir, 'run.json'), wanted)
  const first = { project_id, api_key, prefix, run: null }
  writeFirstKey(dir, first)
  return first
}

async function crawlSample(api: Api, sample: SampleSite, signal: AbortSignal): Promise<FirstKey['run']> {
  const run = await crawl(
    api,
    { url: sample.url, delay_ms: 0, max_pages: 100 },
    liveLine(process.stderr),
    signal,
  )
  const { text } = await call(api.base, 'GET', `/v1/crawls/${run.id}/pages?limit=1`, { key: api.key })
  const page = JSON.parse(text).items?.[0]?.id
  return page === undefined ? null : { id: run.id, page }
}

function curlLines({ base, key }: Api, { id, page }: { id: number; page: number }): string {
  const line = (path: string) => `  curl -s -H 'Authorization: Bearer ${key}' '${base}${path}'`
  const paths = [`/v1/crawls/${id}`, `/v1/crawls/${id}/pages?limit=10`, `/v1/pages/${page}?format=html`]
  return ['The sample crawl, its pages, and one page as HTML:', ...paths.map(line), ''].join('\n')
}

async function crawlUrl(api: Api, given: string, signal: AbortSignal): Promise<void> {
  const url = /^https?:\/\//i.test(given) ? given : `https://${given}`
  const run: Run = await crawl(api, { url }, liveLine(process.stderr), signal)
  print(JSON.stringify(run, null, 2))
  const { status, text } = await call(api.base, 'GET', `/v1/crawls/${run.id}/coverage`, { key: api.key })
  if (status === 200) print(JSON.stringify(JSON.parse(text), null, 2))
}
