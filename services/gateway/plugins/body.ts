/** JSON bodies. Clients that name the type of a body which they then leave out mean none, where none is required. */
import type { App } from '../app.ts'

export function installBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const schema = request.routeOptions.schema?.body as { required?: string[] } | undefined
    const mayBeLeftOut = !schema?.required?.length
    if (body === '' && mayBeLeftOut) done(null, undefined)
    else parse(request, body as string, done)
  })
}
