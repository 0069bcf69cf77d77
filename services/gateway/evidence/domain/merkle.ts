/**
 * The Merkle tree of RFC 9162, 2.1, with SHA-256, computed while its leaves arrive. Memory holds one hash for each level
 * of the tree, never the leaves.
 */
import { hash } from 'node:crypto'

/** A complete subtree. `isOnPath`: it contains the leaf whose proof is collected. */
type Subtree = { size: number; hash: Buffer; isOnPath: boolean }

/** The prefixes of leaves and of inner nodes differ, so that no inner node can be presented as a leaf. */
const leafPrefix = Buffer.from([0])
const nodePrefix = Buffer.from([1])

const sha256 = (...parts: Buffer[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer')

/** Add the leaves in order, then call `finish` once. */
export class MerkleTree {
  #subtrees: Subtree[] = []
  #auditPath: Buffer[] = []
  #size = 0

  /** Adds a leaf. @param isProven whether its proof is collected; for at most one leaf */
  add(leaf: string, isProven = false): void {
    this.#size++
    this.#subtrees.push({ size: 1, hash: sha256(leafPrefix, Buffer.from(leaf)), isOnPath: isProven })
    while (this.#subtrees.at(-1)?.size === this.#subtrees.at(-2)?.size) this.#joinLast()
  }

  /** Returns the number of leaves, the root in hex, and the audit path of the proven leaf, the lowest hash first. */
  finish(): { size: number; root: string; auditPath: string[] } {
    while (this.#subtrees.length > 1) this.#joinLast()
    const root = this.#subtrees[0]?.hash ?? sha256()
    return {
      size: this.#size,
      root: root.toString('hex'),
      auditPath: this.#auditPath.map(h => h.toString('hex')),
    }
  }

  #joinLast(): void {
    const [left, right] = this.#subtrees.splice(-2)
    if (left === undefined || right === undefined) return
    if (left.isOnPath) this.#auditPath.push(right.hash)
    if (right.isOnPath) this.#auditPath.push(left.hash)
    this.#subtrees.push({
      size: left.size + right.size,
      hash: sha256(nodePrefix, left.hash, right.hash),
      isOnPath: left.isOnPath || right.isOnPath,
    })
  }
}
