/**
 * Places the nodes of a graph by forces: all nodes repel each other (Barnes and Hut, 1986, in O(n log n) a step), edges
 * pull like springs, and a weak pull to the center keeps unconnected parts together. The same graph and seed always give
 * the same positions. Lengths are in pixels at zoom 1.
 */

import { add, at2, type Force, repulsionOf } from './repulsion.ts'

/** Edges are pairs of node numbers, one after the other. */
export type Graph = { nodes: number; edges: Uint32Array }

export type Layout = {
  /** x and y of each node in turn. They change with each step. */
  xy: Float32Array
  /** Moves all nodes once. Returns the share of the work that is done, at most 1. */
  step: () => number
}

const springLength = 30
const gravity = 0.04
/** Share of the speed that a node keeps. */
const inertia = 0.6
const maxSpeed = 4 * springLength
/** Strength of all forces at the last step. At the first step the strength is 1. */
const lastAlpha = 0.002

/** Small graphs get more steps, because they cost less. */
const stepsOf = (nodes: number): number => (nodes > 2000 ? 150 : 300)

export function startLayout({ nodes, edges }: Graph, seed: number): Layout {
  const random = randomOf(seed)
  const xy = firstPositions(nodes, random)
  const speed = new Float32Array(nodes * 2)
  const pull = springsOf(nodes, edges)
  const push = repulsionOf(nodes, random)
  const steps = stepsOf(nodes)
  let done = 0
  const step = () => {
    if (done >= steps) return 1
    const alpha = lastAlpha ** (done / steps)
    pull(xy, speed, alpha)
    push(xy, speed, alpha)
    move(xy, speed, alpha)
    done++
    return done / steps
  }
  return { xy, step }
}

/** Mulberry32: numbers from 0 up to 1. */
function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A spiral of equal density (Vogel, 1979), in the order of the nodes, so that the first pages are in the center. */
function firstPositions(nodes: number, random: () => number): Float32Array {
  const xy = new Float32Array(nodes * 2)
  const angle = Math.PI * (3 - Math.sqrt(5))
  for (let n = 0; n < nodes; n++) {
    const radius = 12 * Math.sqrt(n + 0.5)
    xy[2 * n] = radius * Math.cos(n * angle) + random() - 0.5
    xy[2 * n + 1] = radius * Math.sin(n * angle) + random() - 0.5
  }
  return xy
}

/** An edge between nodes with many edges pulls less, and moves the node with fewer edges more. */
function springsOf(nodes: number, edges: Uint32Array): Force {
  const degrees = new Uint32Array(nodes)
  for (const node of edges) degrees[node] = (degrees[node] as number) + 1
  return (xy, speed, alpha) => {
    for (let at = 0; at < edges.length; at += 2) {
      const from = edges[at] as number
      const to = edges[at + 1] as number
      if (from === to) continue
      const dx = at2(xy, to, 0) + at2(speed, to, 0) - at2(xy, from, 0) - at2(speed, from, 0)
      const dy = at2(xy, to, 1) + at2(speed, to, 1) - at2(xy, from, 1) - at2(speed, from, 1)
      const length = Math.sqrt(dx * dx + dy * dy) || 1e-6
      const fromDegree = degrees[from] as number
      const toDegree = degrees[to] as number
      const force = (((length - springLength) / length) * alpha) / Math.min(fromDegree, toDegree)
      const share = fromDegree / (fromDegree + toDegree)
      add(speed, to, -dx * force * share, -dy * force * share)
      add(speed, from, dx * force * (1 - share), dy * force * (1 - share))
    }
  }
}

function move(xy: Float32Array, speed: Float32Array, alpha: number): void {
  for (let n = 0; n < xy.length; n++) {
    const position = xy[n] as number
    const wanted = ((speed[n] as number) - position * gravity * alpha) * inertia
    const bounded = Math.max(-maxSpeed, Math.min(maxSpeed, wanted))
    speed[n] = bounded
    xy[n] = position + bounded
  }
}
