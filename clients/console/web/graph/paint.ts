/** Paints all edges and nodes of a graph. Nodes of one color are one path, because each change of color costs time. */

/** The content of a picture. Arrays have one entry for each node. */
export type Look = {
  /** x and y of each node in turn. */
  xy: Float32Array
  edges: Uint32Array
  /** Pixels, at any zoom. */
  radii: Float32Array
  /** Numbers of colors. */
  tones: Uint8Array
  colors: readonly string[]
  lineColor: string
  markColor: string
  /** The nodes of a search; null: no search. The others are pale. */
  found: ReadonlySet<number> | null
  /** The node under the pointer. Its links are emphasised. */
  chosen: number | null
}

/** A node at (0, 0) appears at (x, y). */
export type Transform = { scale: number; x: number; y: number }

type Context = OffscreenCanvasRenderingContext2D

export function paint(context: Context, look: Look, transform: Transform, ratio: number): void {
  const { width, height } = context.canvas
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.clearRect(0, 0, width, height)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const xs = new Float32Array(look.radii.length)
  const ys = new Float32Array(look.radii.length)
  for (let node = 0; node < xs.length; node++) {
    xs[node] = (look.xy[2 * node] as number) * transform.scale + transform.x
    ys[node] = (look.xy[2 * node + 1] as number) * transform.scale + transform.y
  }
  const shown = { xs, ys, width: width / ratio, height: height / ratio }
  paintEdges(context, look, shown)
  paintNodes(context, look, shown)
  if (look.chosen !== null) paintChosen(context, look, shown, look.chosen)
}

type Shown = { xs: Float32Array; ys: Float32Array; width: number; height: number }

function paintEdges(context: Context, look: Look, { xs, ys, width, height }: Shown): void {
  const { edges, found } = look
  context.beginPath()
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at] as number, edges[at + 1] as number]
    const [x1, y1, x2, y2] = [xs[from] as number, ys[from] as number, xs[to] as number, ys[to] as number]
    const isBeside = (x1 < 0 && x2 < 0) || (x1 > width && x2 > width)
    if (isBeside || (y1 < 0 && y2 < 0) || (y1 > height && y2 > height)) continue
    context.moveTo(x1, y1)
    context.lineTo(x2, y2)
  }
  context.strokeStyle = look.lineColor
  context.lineWidth = 0.6
  context.globalAlpha = (found === null ? 1 : 0.4) * Math.max(0.16, Math.min(0.6, 900 / (edges.length + 1)))
  context.stroke()
  context.globalAlpha = 1
}

/** Pixels. Larger nodes are painted over smaller ones. */
const large = 4

function paintNodes(context: Context, look: Look, shown: Shown): void {
  for (const isLarge of [false, true]) paintDiscs(context, look, shown, isLarge)
  const { found, radii } = look
  if (found === null || found.size > 300) return
  context.beginPath()
  for (const node of found) circle(context, shown, node, (radii[node] as number) + 3)
  context.strokeStyle = look.markColor
  context.lineWidth = 1.5
  context.stroke()
}

function paintDiscs(context: Context, look: Look, shown: Shown, isLarge: boolean): void {
  const { tones, radii, colors, found } = look
  for (const [tone, color] of colors.entries()) {
    context.fillStyle = color
    const isOf = (node: number) => tones[node] === tone && isLarge === (radii[node] as number) >= large
    if (found !== null) {
      context.globalAlpha = 0.18
      fill(context, look, shown, node => isOf(node) && !found.has(node))
      context.globalAlpha = 1
    }
    fill(context, look, shown, node => isOf(node) && (found === null || found.has(node)))
  }
}

function fill(context: Context, { radii }: Look, shown: Shown, isWanted: (node: number) => boolean): void {
  const { xs, ys, width, height } = shown
  context.beginPath()
  for (let node = 0; node < radii.length; node++) {
    const [x, y, radius] = [xs[node] as number, ys[node] as number, radii[node] as number]
    const isOutside = x < -radius || x > width + radius || y < -radius || y > height + radius
    if (isOutside || !isWanted(node)) continue
    circle(context, shown, node, radius)
  }
  context.fill()
}

function circle(context: Context, { xs, ys }: Shown, node: number, radius: number): void {
  const [x, y] = [xs[node] as number, ys[node] as number]
  context.moveTo(x + radius, y)
  context.arc(x, y, radius, 0, 2 * Math.PI)
}

/** The links of one node, in both directions, and a ring around it. */
function paintChosen(context: Context, look: Look, shown: Shown, chosen: number): void {
  const { edges, radii, markColor } = look
  const { xs, ys } = shown
  context.beginPath()
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at] as number, edges[at + 1] as number]
    if (from !== chosen && to !== chosen) continue
    context.moveTo(xs[from] as number, ys[from] as number)
    context.lineTo(xs[to] as number, ys[to] as number)
  }
  context.strokeStyle = markColor
  context.lineWidth = 1
  context.stroke()
  context.beginPath()
  circle(context, shown, chosen, (radii[chosen] as number) + 3)
  context.lineWidth = 2
  context.stroke()
}
