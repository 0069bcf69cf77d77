/** Repulsion of all nodes of a graph from each other, by a tree of squares (Barnes and Hut, 1986). */

/** Changes the speeds of all nodes. `alpha` is the strength, from 1 to almost 0. */
export type Force = (xy: Float32Array, speed: Float32Array, alpha: number) => void

const charge = 40
/** Maximum ratio of the width of a cell to its distance at which the cell counts as one point. */
const theta = 1.1
/** Maximum depth of the tree. Without it, nodes at equal positions would divide cells forever. */
const maxDepth = 24

/** Returns the force. All steps reuse the arrays that store the tree. Cell 0 is the whole square. */
export function repulsionOf(nodes: number, random: () => number): Force {
  const capacity = Math.max(64, nodes * 8)
  const tree: Tree = {
    capacity,
    count: 1,
    mass: new Float32Array(capacity),
    sumX: new Float32Array(capacity),
    sumY: new Float32Array(capacity),
    width: new Float32Array(capacity),
    child: new Int32Array(capacity),
    point: new Int32Array(capacity),
  }
  const stack = new Int32Array(4 * (maxDepth + 2))
  return (xy, speed, alpha) => {
    build(tree, xy, nodes)
    repel(tree, stack, { xy, speed, alpha, random })
  }
}

type Tree = {
  capacity: number
  count: number
  /** Number of nodes in a cell. */
  mass: Float32Array
  /** While the tree is built, the sums of the positions of these nodes; afterwards, the center of the nodes. */
  sumX: Float32Array
  sumY: Float32Array
  width: Float32Array
  /** The first of four children; 0: a leaf. */
  child: Int32Array
  /** The first node of a leaf. */
  point: Int32Array
}

function build(tree: Tree, xy: Float32Array, nodes: number): void {
  let half = 1
  for (const value of xy) half = Math.max(half, Math.abs(value))
  tree.count = 0
  newCell(tree, 2 * half)
  for (let node = 0; node < nodes; node++) insert(tree, xy, node, half)
  for (let cell = 0; cell < tree.count; cell++) {
    const mass = tree.mass[cell] as number
    if (mass === 0) continue
    tree.sumX[cell] = (tree.sumX[cell] as number) / mass
    tree.sumY[cell] = (tree.sumY[cell] as number) / mass
  }
}

function newCell(tree: Tree, width: number): void {
  const cell = tree.count++
  tree.mass[cell] = 0
  tree.sumX[cell] = 0
  tree.sumY[cell] = 0
  tree.child[cell] = 0
  tree.width[cell] = width
}

function insert(tree: Tree, xy: Float32Array, node: number, rootHalf: number): void {
  const x = at2(xy, node, 0)
  const y = at2(xy, node, 1)
  let cell = 0
  let centerX = 0
  let centerY = 0
  let half = rootHalf
  for (let depth = 0; ; depth++) {
    const mass = tree.mass[cell] as number
    const isLeaf = tree.child[cell] === 0
    if (mass === 0) tree.point[cell] = node
    const isFull = depth >= maxDepth || tree.count + 4 > tree.capacity
    if (isLeaf && mass > 0 && !isFull) divide(tree, xy, cell, centerX, centerY)
    weigh(tree, cell, x, y)
    const child = tree.child[cell] as number
    if (child === 0) return
    const isRight = x > centerX
    const isBelow = y > centerY
    cell = child + (isRight ? 1 : 0) + (isBelow ? 2 : 0)
    half /= 2
    centerX += isRight ? half : -half
    centerY += isBelow ? half : -half
  }
}

/** Gives a leaf four children, and its node to one of them. */
function divide(tree: Tree, xy: Float32Array, cell: number, centerX: number, centerY: number): void {
  const child = tree.count
  for (let n = 0; n < 4; n++) newCell(tree, (tree.width[cell] as number) / 2)
  tree.child[cell] = child
  const node = tree.point[cell] as number
  const [x, y] = [at2(xy, node, 0), at2(xy, node, 1)]
  const its = child + (x > centerX ? 1 : 0) + (y > centerY ? 2 : 0)
  tree.point[its] = node
  weigh(tree, its, x, y)
}

function weigh(tree: Tree, cell: number, x: number, y: number): void {
  tree.mass[cell] = (tree.mass[cell] as number) + 1
  tree.sumX[cell] = (tree.sumX[cell] as number) + x
  tree.sumY[cell] = (tree.sumY[cell] as number) + y
}

type Pushed = { xy: Float32Array; speed: Float32Array; alpha: number; random: () => number }

/**
 * Walks the tree from the root for each node, and enters only cells that are large compared with their distance. Most
 * of the time is spent here: a step for 5,000 nodes visits half a million cells.
 */
function repel(tree: Tree, stack: Int32Array, { xy, speed, alpha, random }: Pushed): void {
  const { mass, sumX, sumY, width, child, point } = tree
  const enters = theta * theta
  for (let node = 0; 2 * node < xy.length; node++) {
    const x = xy[2 * node] as number
    const y = xy[2 * node + 1] as number
    let pushX = 0
    let pushY = 0
    let top = 1
    stack[0] = 0
    while (top > 0) {
      const cell = stack[--top] as number
      const weight = mass[cell] as number
      const first = child[cell] as number
      if (weight === 0 || (first === 0 && weight === 1 && point[cell] === node)) continue
      let dx = (sumX[cell] as number) - x
      let dy = (sumY[cell] as number) - y
      const size = width[cell] as number
      if (first !== 0 && size * size > enters * (dx * dx + dy * dy)) {
        stack[top] = first
        stack[top + 1] = first + 1
        stack[top + 2] = first + 2
        stack[top + 3] = first + 3
        top += 4
        continue
      }
      // Nodes at one position are pushed apart in any direction.
      if (dx === 0) dx = (random() - 0.5) * 1e-3
      if (dy === 0) dy = (random() - 0.5) * 1e-3
      const force = (-charge * weight * alpha) / Math.max(1, dx * dx + dy * dy)
      pushX += dx * force
      pushY += dy * force
    }
    add(speed, node, pushX, pushY)
  }
}

export const at2 = (pairs: Float32Array, node: number, axis: 0 | 1): number =>
  pairs[2 * node + axis] as number

export function add(pairs: Float32Array, node: number, x: number, y: number): void {
  pairs[2 * node] = (pairs[2 * node] as number) + x
  pairs[2 * node + 1] = (pairs[2 * node + 1] as number) + y
}
