/** Answers unknown paths with 404, and known paths with an unsupported method with 405 and the allowed methods. */
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

/** Returns a pattern of a route; `*` matches the rest of a path. */
const patternOf = (url: string) => {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')}$`)
}
