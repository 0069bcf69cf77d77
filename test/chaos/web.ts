/**
 * The generated sites on real addresses, starting with 127.1.20.1. Every request is reported with the time of its
 * arrival.
 */
import { createHash } from 'node:crypto'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { listening } from '@tidemark/testing/listening'
import { answerOf, type Place, robotsText, type Site } from './site.ts'

export type Web = {
  /** The origin of each host without a trailing slash: `http://127.1.20.1:40123`. */
  origins: string[]
  close(): Promise<void>
}

/** Reports a request. `at` is in milliseconds since 1970; the request arrived at most `lateMs` before. */
type ReportHit = (place: Place, at: number, lateMs: number) => void
type Message =
  | { type: 'hit'; place: Place; at: number; lateMs: number }
  | { type: 'listening'; origins: string[] }

const hostsPerNet = 200

const firstNet = 20
/** Milliseconds between two readings of the clock by the thread. */
const pollIntervalMs = 5

/** Starts the sites in a thread of their own. `net` is the third number of the addresses, 20 by default. */
export async function startWeb(site: Site, hit: ReportHit, net = firstNet): Promise<Web> {
  const worker = new Worker(new URL('web-worker.ts', import.meta.url), { workerData: { site, net } })
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  worker.on('error', reject)
  worker.on('message', (message: Message) => {
    if (message.type === 'hit') hit(message.place, message.at, message.lateMs)
    else resolve(message.origins)
  })
  return { origins: await promise, close: async () => void (await worker.terminate()) }
}

/** Serves the sites in this thread until it ends. */
export async function serveSite(site: Site, net: number, hit: ReportHit): Promise<Pick<Web, 'origins'>> {
  const origins: string[] = []
  let lookedAt = performance.now()
  setInterval(() => (lookedAt = performance.now()), pollIntervalMs).unref()
  const servers = Array.from({ length: site.hosts }, (_, host) =>
    http.createServer((request, response) => {
      const place = { host, path: request.url ?? '/' }
      const now = performance.now()
      hit(place, performance.timeOrigin + now, now - lookedAt)
      void respond(response, site, place, origins)
    }),
  )
  for (const [host, server] of servers.entries()) {
    const address = `127.1.${net + Math.floor(host / hostsPerNet)}.${1 + (host % hostsPerNet)}`
    origins.push((await listening(server, address)).url)
  }
  return { origins }
}

async function respond(response: http.ServerResponse, site: Site, place: Place, origins: string[]) {
  const urlOf = ({ host, path }: Place) => `${origins[host]}${path}`
  if (place.path === '/robots.txt') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(robotsText)
    return
  }
  const answer = answerOf(site, place)
  switch (answer.status) {
    case 302:
      response.writeHead(302, { location: urlOf(answer.to) }).end()
      break
    case 404:
      response.writeHead(404, { 'content-type': 'text/html' }).end(`<title>No page ${place.path}</title>`)
      break
    case 200:
      if (answer.slowMs > 0) await sleep(answer.slowMs)
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(html(urlOf(place), answer.links.map(urlOf)))
  }
}

/**
 * Returns different words for each page. Pages that differ only by links and numbers would correctly count as a trap.
 */
const wordsOf = (url: string): string => createHash('sha256').update(url).digest('hex').replaceAll(/\d/g, ' ')

const html = (url: string, links: string[]): string =>
  `<!doctype html><title>${url}</title><h1>${url}</h1><p>${wordsOf(url)}</p>\n` +
  links.map(link => `<p><a href="${link}">${link}</a></p>\n`).join('')
