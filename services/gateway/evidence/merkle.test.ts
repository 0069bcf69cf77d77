/** The Merkle tree, compared to the recursive definitions of RFC 9162, 2.1. */
import { createHash } from 'node:crypto'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { MerkleTree } from './domain/merkle.ts'

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest()
}
const leafHash = (leaf: string) => sha256('\0', leaf)
const nodeHash = (left: Buffer, right: Buffer) => sha256('\x01', left, right)

/** The largest power of two below n. */
function below(n: number): number {
  let power = 1
  while (power * 2 < n) power *= 2
  return power
}

/** RFC 9162, 2.1.1 */
function rootOf(leaves: readonly string[]): Buffer {
  const [first] = leaves
  if (first === undefined) return sha256('')
  if (leaves.length === 1) return leafHash(first)
  const k = below(leaves.length)
  return nodeHash(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)))
}

/** RFC 9162, 2.1.3.1 */
function pathOf(index: number, leaves: readonly string[]): Buffer[] {
  if (leaves.length <= 1) return []
  const k = below(leaves.length)
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), rootOf(leaves.slice(0, k))]
}

/** RFC 9162, 2.1.3.2 */
function isProven(leaf: string, index: number, size: number, path: readonly Buffer[], root: Buffer): boolean {
  if (index >= size) return false
  let [fn, sn, r] = [index, size - 1, leafHash(leaf)]
  for (const p of path) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      r = nodeHash(p, r)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else {
      r = nodeHash(r, p)
    }
    ;[fn, sn] = [fn >> 1, sn >> 1]
  }
  return sn === 0 && r.equals(root)
}

function treeOf(leaves: readonly string[], proven = -1) {
  const tree = new MerkleTree()
  for (const [index, leaf] of leaves.entries()) tree.add(leaf, index === proven)
  const { size, root, auditPath } = tree.finish()
  return { size, root: Buffer.from(root, 'hex'), path: auditPath.map(hex => Buffer.from(hex, 'hex')) }
}

const leavesOf = (count: number) => Array.from({ length: count }, (_, n) => `leaf ${n}`)

test('Each root and each proof of 0 to 200 leaves is that of the definition', async t => {
  for (let count = 0; count <= 200; count++) {
    const leaves = leavesOf(count)
    const { size, root, path } = treeOf(leaves)
    if (size !== count || path.length > 0 || !root.equals(rootOf(leaves))) t.fail(`${count} leaves`)
    const step = count < 40 ? 1 : 17
    for (let index = 0; index < count; index += step)
      if (!Buffer.concat(treeOf(leaves, index).path).equals(Buffer.concat(pathOf(index, leaves))))
        t.fail(`the proof of ${index} of ${count}`)
  }
  t.equal(treeOf([]).root.toString('hex'), sha256('').toString('hex'))
})

test('Every proof verifies its leaf, and no other leaf, position, size or path', async t => {
  const any = fc.integer({ min: 1, max: 200 }).chain(count => {
    const index = fc.nat(count - 1)
    return fc.record({ count: fc.constant(count), index, other: index, bit: fc.nat(255) })
  })
  const property = fc.property(any, ({ count, index, other, bit }) => {
    const leaves = leavesOf(count)
    const { root, path } = treeOf(leaves, index)
    const verifies = (leaf: string, at = index, size = count, by = path) => isProven(leaf, at, size, by, root)
    const flipped = path.map(hash => Buffer.from(hash))
    const hash = flipped[bit % Math.max(1, flipped.length)]
    if (hash) hash[bit % 32] = (hash[bit % 32] ?? 0) ^ (1 << (bit % 8))
    return (
      verifies(`leaf ${index}`) &&
      (other === index || !verifies(`leaf ${other}`)) &&
      (other === index || !verifies(`leaf ${index}`, other)) &&
      (!hash || !verifies(`leaf ${index}`, index, count, flipped)) &&
      !verifies(`leaf ${index}`, index, count, [...path, root]) &&
      (path.length === 0 || !verifies(`leaf ${index}`, index, count, path.slice(1)))
    )
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: sized(300, 2_000) }))
})

test('An inner node is no leaf, and the order counts', async t => {
  const [a, b] = ['a', 'b']
  const inner = Buffer.concat([leafHash(a), leafHash(b)]).toString('latin1')
  t.notOk(treeOf([a, b]).root.equals(treeOf([inner]).root))
  t.notOk(treeOf([a, b]).root.equals(treeOf([b, a]).root))
  t.notOk(treeOf([a, b]).root.equals(treeOf([a, b, b]).root))
})
