/**
 * The permits of this process for requests under way. Where more are wanted than there are, the next one goes to who
 * holds the fewest of those who wait, so nobody comes to hold more than half while another one waits. Some are
 * kept for what somebody waits for, however much the crawls have to do.
 */

export type Claimant = {
  /** Whose share it is counted to. All of one number's are awaited, or none. */
  tenant: number
  /** Somebody waits for it. */
  isAwaited: boolean
}

export type FairPermits = {
  /** Waits for a permit. Rejects with the signal's reason when it is aborted before. */
  acquire(claimant: Claimant, signal: AbortSignal): Promise<void>
  release(claimant: Claimant): void
}

type Waiter = { admit: () => void }
type Tenant = { isAwaited: boolean; held: number; waiters: Set<Waiter> }

/** @param kept permits beside the others, for what is awaited only; which may have the others too */
export function createFairPermits({ permits, kept }: { permits: number; kept: number }): FairPermits {
  const tenants = new Map<number, Tenant>()
  /** Those with waiters, the longest unserved first. */
  const inLine = new Set<Tenant>()
  let out = 0
  let unawaitedOut = 0

  const isFree = (isAwaited: boolean): boolean =>
    out < permits + kept && (isAwaited || unawaitedOut < permits)

  function give(tenant: Tenant): void {
    tenant.held += 1
    out += 1
    if (!tenant.isAwaited) unawaitedOut += 1
  }

  function admitNext(): void {
    for (let next = poorest(); next; next = poorest()) {
      const [waiter] = next.waiters
      inLine.delete(next)
      if (waiter === undefined) continue
      next.waiters.delete(waiter)
      if (next.waiters.size > 0) inLine.add(next)
      give(next)
      waiter.admit()
    }
  }

  function poorest(): Tenant | undefined {
    let found: Tenant | undefined
    for (const tenant of inLine)
      if (isFree(tenant.isAwaited) && (found === undefined || tenant.held < found.held)) found = tenant
    return found
  }

  function forgetIfIdle(id: number, { held, waiters }: Tenant): void {
    if (held === 0 && waiters.size === 0) tenants.delete(id)
  }

  function queueUp(id: number, tenant: Tenant, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = {
      admit() {
        signal.removeEventListener('abort', leave)
        resolve()
      },
    }
    const leave = () => {
      tenant.waiters.delete(waiter)
      if (tenant.waiters.size === 0) inLine.delete(tenant)
      forgetIfIdle(id, tenant)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    tenant.waiters.add(waiter)
    inLine.add(tenant)
    return promise
  }

  return {
    async acquire({ tenant: id, isAwaited }, signal) {
      signal.throwIfAborted()
      const tenant = tenants.get(id) ?? { isAwaited, held: 0, waiters: new Set() }
      tenants.set(id, tenant)
      // Nobody waits for what is free.
      if (isFree(isAwaited)) give(tenant)
      else await queueUp(id, tenant, signal)
    },
    release({ tenant: id }) {
      const tenant = tenants.get(id)
      if (tenant === undefined) return
      tenant.held -= 1
      out -= 1
      if (!tenant.isAwaited) unawaitedOut -= 1
      admitNext()
      forgetIfIdle(id, tenant)
    },
  }
}
