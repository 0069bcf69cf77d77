/**
 * Bodies that arrive are held in memory until they are whole, however slowly they come. Small ones are, in any number that
 * there are connections for; the large ones of all clients together have a bounded room, and who finds none comes again.
 */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { type BodyRoom, bodyRoom } from '../domain/body-room.ts'
import { ApiProblem } from '../domain/problem.ts'
import { onceOver } from './once-over.ts'

/** A body up to here needs no room. */
export const smallBody = 16 * 1024
const usual = { all: 128 * 1024 ** 2, each: 64 * 1024 ** 2 }
const retryAfterSeconds = 5

export function installBodyRoom(app: App, room: BodyRoom = bodyRoom(usual)): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const bytes = bytesOf(request)
    if (bytes <= smallBody) return done()
    // Strangers share what one project may have.
    const giveBack = room.take(request.caller?.projectId ?? null, bytes)
    if (giveBack === null) return done(noRoom)
    onceOver(reply.raw, giveBack)
    done()
  })
}

/** Who does not say how long it is may send as much as the route reads. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const most = routeOptions.bodyLimit
  if (headers['transfer-encoding'] !== undefined) return most
  return Math.min(Number(headers['content-length'] ?? 0), most)
}

const noRoom = new ApiProblem('unavailable', {
  message: 'Too many large bodies are arriving at once. Send it again shortly.',
  retryAfterSeconds,
  headers: { connection: 'close' },
})
