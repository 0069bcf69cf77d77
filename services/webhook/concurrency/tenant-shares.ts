/** Limits the concurrent deliveries of one project over all its hosts, so that deliveries of other projects get slots. */

export type TenantShares = {
  /** Acquires a slot, until it is disposed; null if the project has no free slot. */
  take(projectId: number): Disposable | null
}

export function tenantShares(limit: number): TenantShares {
  const inUse = new Map<number, number>()

  return {
    take(projectId) {
      const used = inUse.get(projectId) ?? 0
      if (used >= limit) return null
      inUse.set(projectId, used + 1)
      return { [Symbol.dispose]: () => release(projectId) }
    },
  }

  function release(projectId: number): void {
    const left = (inUse.get(projectId) ?? 1) - 1
    if (left === 0) inUse.delete(projectId)
    else inUse.set(projectId, left)
  }
}
