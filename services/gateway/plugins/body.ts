/** JSON bodies. Clients that name the type of a body which they then leave out mean none, where none is wanted. */
import type { App } from '../app.ts'

export function installBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const wantsNone = request.routeOptions.schema?.body === undefined
    if (body === '' && wantsNone) done(null, undefined)
    else parse(request, body as string, done)
  })
}
