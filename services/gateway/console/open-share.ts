/**
 * Exchanges the share of an address for a session. The console does it once and removes the share from the address. The
 * session ends with the share, and with the key that made it.
 */
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { cookieOf, newSession } from './domain/session.ts'
import { openedShare } from './domain/share.ts'
import { refuseOtherSites, requireHeader, type SessionPorts, sessionReader, shown } from './session.ts'

const body = Type.Object({
  share: Type.String({ maxLength: 2000, description: 'The text behind `#share=` of the address.' }),
})

export function openShareRoute(app: App, ports: SessionPorts): void {
  const { secrets, checkShareAccess, now } = ports
  const { isSecure } = sessionReader(ports)
  app.post('/console/session/shared', { schema: { hide: true, body } }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    refuseOtherSites(request)
    requireHeader(request)
    const share = openedShare(request.body.share.trim(), secrets)
    if (share === null) throw new ApiProblem('invalid_signature', { field: 'share', message: changed })
    if (share.until <= now()) throw ended('address_expired', 'This shared address has expired.')
    const key = await checkShareAccess(share, request.clientIp)
    if (key === null)
      throw ended(
        undefined,
        'The key that shared this crawl was revoked or has expired, or its shares were revoked.',
      )
    const session = { ...newSession('', now()), share, until: share.until }
    const seconds = Math.ceil((share.until - now()) / 1000)
    reply.header('set-cookie', cookieOf(session, secrets, isSecure(request), seconds))
    return shown(session, key, secrets)
  })
}

const changed = 'This address is not a share of this installation, or it is incomplete or was changed.'

const ended = (reason: 'address_expired' | undefined, message: string): ApiProblem =>
  new ApiProblem('gone', { reason, field: 'share', message: `${message} Request a new address.` })
