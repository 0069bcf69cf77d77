/** For routes where a body's very bytes count, as under a signature: `request.body` is a Buffer, whatever its type. */
import type { App } from '../../app.ts'

/** To be called within a scope of its own. */
export function keepRawBodies(scope: App): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
