/** A path that nobody serves is 404; one that is served, but not by this method, is 405 and says by which. */
import type { App } from '../../app.ts'
import { ApiProblem } from '../domain/problem.ts'
import { sendProblem } from './problem.ts'

export function installNotFound(app: App): void {
  const routes: { path: RegExp; methods: string[] }[] = []

  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ path: patternOf(url), methods: [method].flat() })
  })

  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1)
    const allowed = routes.filter(route => route.path.test(path)).flatMap(({ methods }) => methods)
    const problem =
      allowed.length === 0
        ? new ApiProblem('not_found')
        : new ApiProblem('method_not_allowed', { headers: { allow: [...new Set(allowed)].join(', ') } })
    return sendProblem(request, reply, problem)
  })
}

/** A `*` stands for any rest of a path. */
const patternOf = (url: string) => {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')}$`)
}
