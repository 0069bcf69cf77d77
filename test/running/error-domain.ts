/**
 * Replaces the package async-hook-domain in test processes: an uncaught error fails the test whose work threw it. The
 * package observes every promise of the process for this, which takes an eighth of the processor time of tests. An
 * AsyncLocalStorage carries the test with its work at no such cost.
 */
import { AsyncLocalStorage, AsyncResource, executionAsyncResource } from 'node:async_hooks'

type Receive = (error: unknown, type: 'uncaughtException' | 'unhandledRejection') => unknown

const current = new AsyncLocalStorage<Domain>()
/** The domains that have not ended, in the order of their creation. The first belongs to the root of all tests. */
const open = new Set<Domain>()

/** The part of the package's class that tap uses. */
export class Domain {
  readonly onerror: Receive
  readonly parent = current.getStore()

  /** Tap creates the domain of a test in the scope in which it later runs the test. */
  constructor(onerror: Receive) {
    this.onerror = onerror
    const scope = executionAsyncResource()
    if (scope instanceof AsyncResource) {
      const run: AsyncResource['runInAsyncScope'] = scope.runInAsyncScope.bind(scope)
      scope.runInAsyncScope = (work, self, ...args) =>
        run(() => current.run(this, () => work.apply(self as never, args)))
    }
    if (open.size === 0) process.on('uncaughtException', thrown).on('unhandledRejection', rejected)
    open.add(this)
  }

  destroy(): void {
    open.delete(this)
    if (open.size === 0) process.off('uncaughtException', thrown).off('unhandledRejection', rejected)
  }
}

/** A listener of the test itself has precedence. */
function thrown(error: unknown): void {
  if (process.listenerCount('uncaughtException') === 1) receiver()?.onerror(error, 'uncaughtException')
}

function rejected(error: unknown): void {
  if (process.listenerCount('unhandledRejection') === 1) receiver()?.onerror(error, 'unhandledRejection')
}

/** Returns the domain of the running test, or the next outer one that has not ended. */
function receiver(): Domain | undefined {
  let domain = current.getStore()
  while (domain !== undefined && !open.has(domain)) domain = domain.parent
  return domain ?? open.values().next().value
}
