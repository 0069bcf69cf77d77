/** Keeps `request.body` as a Buffer, whatever its type, for routes that verify a signature over the bytes. */
import type { App } from '../../app.ts'

/** Call it in a scope of its own. */
export function keepRawBodies(scope: App): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
