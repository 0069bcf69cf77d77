/**
 * Limits the requests in flight of this process by permits, and shares them fairly. When they run short, the next
 * permit goes to the waiting tenant that holds the fewest, so that waiting tenants soon hold equal numbers. Some
 * permits are reserved for synchronous requests.
 */
import { createWaiter, type Waiter } from './waiter.ts'

export type Claimant = {
  /** Id of the tenant to which the permit is counted. */
  tenant: number
  /**
   * Whether a client waits for the response. Awaited requests of a tenant are counted separately from its other
   * requests.
   */
  isAwaited: boolean
}

type Options = { permits: number; kept: number; maxPerTenant?: number }
type Tenant = Claimant & { held: number; waiters: Set<Waiter> }

export class FairPermits {
  readonly #permits: number
  readonly #kept: number
  readonly #maxPerTenant: number
  readonly #tenants = new Map<string, Tenant>()
  /** Permits of each tenant, awaited and others together. */
  readonly #heldBy = new Map<number, number>()
  /** Tenants with waiters, those that received a permit least recently first. */
  readonly #inLine = new Set<Tenant>()
  #out = 0
  #unawaitedOut = 0

  /**
   * @param kept number of further permits, for awaited requests only. Awaited requests may use all permits.
   * @param maxPerTenant maximum number that one tenant holds, also while no other waits
   */
  constructor({ permits, kept, maxPerTenant = Infinity }: Options) {
    this.#maxPerTenant = maxPerTenant
    this.#permits = permits
    this.#kept = kept
  }

  /** Waits for a permit. Rejects with the signal's reason if it aborts first. */
  async acquire(claimant: Claimant, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const id = keyOf(claimant)
    const tenant = this.#tenants.get(id) ?? { ...claimant, held: 0, waiters: new Set() }
    this.#tenants.set(id, tenant)
    if (this.#mayTake(tenant)) this.#give(tenant)
    else await this.#queueUp(id, tenant, signal)
  }

  release(claimant: Claimant): void {
    const id = keyOf(claimant)
    const tenant = this.#tenants.get(id)
    if (tenant === undefined) return
    tenant.held -= 1
    this.#count(tenant, -1)
    this.#out -= 1
    if (!tenant.isAwaited) this.#unawaitedOut -= 1
    this.#admitNext()
    this.#forgetIfIdle(id, tenant)
  }

  #mayTake({ tenant, isAwaited }: Tenant): boolean {
    if (this.#out >= this.#permits + this.#kept) return false
    if ((this.#heldBy.get(tenant) ?? 0) >= this.#maxPerTenant) return false
    return isAwaited || this.#unawaitedOut < this.#permits
  }

  #give(tenant: Tenant): void {
    tenant.held += 1
    this.#count(tenant, 1)
    this.#out += 1
    if (!tenant.isAwaited) this.#unawaitedOut += 1
  }

  #count({ tenant }: Tenant, change: 1 | -1): void {
    const held = (this.#heldBy.get(tenant) ?? 0) + change
    if (held === 0) this.#heldBy.delete(tenant)
    else this.#heldBy.set(tenant, held)
  }

  #admitNext(): void {
    for (let next = this.#poorest(); next; next = this.#poorest()) {
      const [waiter] = next.waiters
      this.#inLine.delete(next)
      if (waiter === undefined) continue
      next.waiters.delete(waiter)
      if (next.waiters.size > 0) this.#inLine.add(next)
      this.#give(next)
      waiter.admit()
    }
  }

  #poorest(): Tenant | undefined {
    let found: Tenant | undefined
    for (const tenant of this.#inLine)
      if (this.#mayTake(tenant) && (found === undefined || tenant.held < found.held)) found = tenant
    return found
  }

  #forgetIfIdle(id: string, { held, waiters }: Tenant): void {
    if (held === 0 && waiters.size === 0) this.#tenants.delete(id)
  }

  #queueUp(id: string, tenant: Tenant, signal: AbortSignal): Promise<void> {
    const waiter = createWaiter(signal, left => {
      tenant.waiters.delete(left)
      if (tenant.waiters.size === 0) this.#inLine.delete(tenant)
      this.#forgetIfIdle(id, tenant)
    })
    tenant.waiters.add(waiter)
    this.#inLine.add(tenant)
    return waiter.admitted
  }
}

const keyOf = ({ tenant, isAwaited }: Claimant): string => `${tenant} ${isAwaited}`
