/**
 * Answers unknown paths with 404, and known paths with an unsupported method with 405 and the allowed methods. The
 * message says that the endpoint is unknown, because 404 also stands for an object that does not exist.
 */
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
      allowed.length === 0 ? noEndpoint(request.method, path) : wrongMethod(request.method, allowed)
    return sendProblem(request, reply, problem)
  })
}

/** Characters of a path in a message. */
const maxShown = 100

const noEndpoint = (method: string, path: string): ApiProblem =>
  new ApiProblem('not_found', {
    message: `There is no endpoint ${method} ${path.slice(0, maxShown)}. GET /docs lists all endpoints.`,
  })

function wrongMethod(method: string, allowed: readonly string[]): ApiProblem {
  const allow = [...new Set(allowed)].join(', ')
  const message = `This path does not support ${method}, only ${allow}.`
  return new ApiProblem('method_not_allowed', { message, headers: { allow } })
}

/** Returns a pattern of a route; `*` matches the rest of a path. */
const patternOf = (url: string) => {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')}$`)
}
