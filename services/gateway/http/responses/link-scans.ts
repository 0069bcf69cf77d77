/**
 * Limits the requests that need every link of a crawl. They compute on the thread that serves all clients, hold a key
 * for each page, and are not billed. They stop when the client disconnects.
 */
import { limited, limitedByProject } from '@tidemark/bus/at-most'
import type { FastifyReply } from 'fastify'
import { clientLeft } from '../domain/problem.ts'
import { shareAccessOf } from '../requests/share-access.ts'
import { disconnectSignal } from './disconnect-signal.ts'

const scansOfProject = 2
/** Scans of this process for all projects. */
const maxScans = 8

/**
 * Does the work within the limits. Throws a `Refusal`: `too_many_requests` with the reason `link_scans` if the project
 * has too many scans in progress, `unavailable` if this process has too many.
 */
export type ScanLinks = <Result>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>

const refusal = {
  reason: 'link_scans',
  message: `This gateway already reads the links of ${scansOfProject} crawls for the project. Try again when one request has ended.`,
} as const

/** Returns the limits, which all routes share. */
export function limitLinkScans(): ScanLinks {
  const scan = limited(maxScans, (_: { projectId: number }, work: () => Promise<unknown>) => work())
  const limitedPerProject = () => limitedByProject({ max: scansOfProject, refusal }, scan)
  // Readers of shares have a limit of their own, so that they never delay the project.
  const [byKey, byShare] = [limitedPerProject(), limitedPerProject()]
  return async <Result>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<Result>) => {
    const disconnected = disconnectSignal(reply)
    const { caller, raw } = reply.request
    const begin = shareAccessOf(raw) === undefined ? byKey : byShare
    const { projectId } = caller
    try {
      return (await begin({ projectId }, () => work(disconnected))) as Result
    } catch (error) {
      throw disconnected.aborted ? clientLeft() : error
    }
  }
}
