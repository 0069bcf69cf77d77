/**
 * Draws a graph on a canvas, with pan and zoom. A worker paints the pictures. While the view moves, the last picture
 * moves with it, so that a frame costs the same for 50 nodes and for 5,000. A sharp picture follows when the view
 * stops.
 */
import type { Look, Transform } from './paint.ts'
import { openPainter, type Painter } from './painter.ts'

const restMs = 140
const [minScale, maxScale] = [0.02, 12]
/** Pixels around a node in which the pointer still selects it. */
const reach = 5

export class View {
  readonly #canvas: HTMLCanvasElement
  readonly #painter: Painter
  readonly #resized: ResizeObserver
  readonly #stopInput: () => void
  #look: Look | null = null
  #transform: Transform = { scale: 1, x: 0, y: 0 }
  /** Whether the view changes with the layout, so that all nodes stay visible. */
  #isFitted = true
  #frame = 0
  #rest = 0

  /** @param program the address of the worker that paints */
  constructor(canvas: HTMLCanvasElement, program: string) {
    this.#canvas = canvas
    this.#painter = openPainter(canvas, program, () => this.#request())
    this.#resized = new ResizeObserver(() => this.#resize())
    this.#resized.observe(canvas)
    this.#stopInput = followInput(canvas, this)
  }

  /** Draws again: other positions, colors, sizes or marks. */
  show(look: Look): void {
    this.#look = look
    if (this.#isFitted) this.#transform = fittingTransform(look.xy, this.#canvas)
    this.#painter.order(this.#transform, look)
  }

  pan(x: number, y: number): void {
    this.#go({ ...this.#transform, x: this.#transform.x + x, y: this.#transform.y + y })
  }

  /** Changes the scale; the point at (x, y), by default the center, keeps its position. */
  zoom(factor: number, x = this.#canvas.clientWidth / 2, y = this.#canvas.clientHeight / 2): void {
    const transform = this.#transform
    const scale = Math.max(minScale, Math.min(maxScale, transform.scale * factor))
    const real = scale / transform.scale
    this.#go({ scale, x: x - (x - transform.x) * real, y: y - (y - transform.y) * real })
  }

  /** Shows all nodes. */
  fit(): void {
    this.#isFitted = true
    if (this.#look !== null) this.#transform = fittingTransform(this.#look.xy, this.#canvas)
    this.#painter.order(this.#transform)
    this.#request()
  }

  /** Brings a node to the center. */
  center(node: number): void {
    const [x, y] = [this.#look?.xy[2 * node], this.#look?.xy[2 * node + 1]]
    if (x === undefined || y === undefined) return
    const { clientWidth, clientHeight } = this.#canvas
    const scale = Math.max(this.#transform.scale, 1.2)
    this.#go({ scale, x: clientWidth / 2 - x * scale, y: clientHeight / 2 - y * scale })
  }

  /** Returns the node at a position of the canvas, or null. */
  nodeAt(x: number, y: number): number | null {
    return this.#look === null ? null : nearest(this.#look, this.#transform, x, y)
  }

  end(): void {
    this.#resized.disconnect()
    this.#stopInput()
    this.#painter.end()
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#rest)
  }

  #go(transform: Transform): void {
    this.#isFitted = false
    this.#transform = transform
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => this.#painter.order(this.#transform), restMs)
    this.#request()
  }

  #resize(): void {
    this.#canvas.width = this.#canvas.clientWidth * devicePixelRatio
    this.#canvas.height = this.#canvas.clientHeight * devicePixelRatio
    if (this.#isFitted) this.fit()
    else this.#painter.order(this.#transform)
  }

  #request(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      drawPicture(this.#canvas, this.#painter, this.#transform)
    })
  }
}

/** Draws the last picture where its nodes are now. */
function drawPicture(canvas: HTMLCanvasElement, { painted }: Painter, transform: Transform): void {
  const { width, height } = canvas
  const screen = canvas.getContext('2d') as CanvasRenderingContext2D
  screen.setTransform(1, 0, 0, 1, 0, 0)
  screen.clearRect(0, 0, width, height)
  if (painted === null) return
  const factor = transform.scale / painted.transform.scale
  const [x, y] = [transform.x - painted.transform.x * factor, transform.y - painted.transform.y * factor]
  screen.setTransform(factor, 0, 0, factor, x * devicePixelRatio, y * devicePixelRatio)
  screen.drawImage(painted.bitmap, 0, 0)
}

/** Returns the transform that shows all nodes with a margin. */
function fittingTransform(xy: Float32Array, { clientWidth, clientHeight }: HTMLCanvasElement): Transform {
  let left = Infinity
  let right = -Infinity
  let top = Infinity
  let bottom = -Infinity
  for (let at = 0; at < xy.length; at += 2) {
    const x = xy[at] as number
    const y = xy[at + 1] as number
    if (x < left) left = x
    if (x > right) right = x
    if (y < top) top = y
    if (y > bottom) bottom = y
  }
  const margin = 24
  const across = (clientWidth - 2 * margin) / Math.max(1, right - left)
  const down = (clientHeight - 2 * margin) / Math.max(1, bottom - top)
  const scale = Math.max(minScale, Math.min(3.5, across, down))
  return {
    scale,
    x: clientWidth / 2 - ((left + right) / 2) * scale,
    y: clientHeight / 2 - ((top + bottom) / 2) * scale,
  }
}

function nearest({ xy, radii }: Look, { scale, x, y }: Transform, atX: number, atY: number): number | null {
  let [found, best]: [number | null, number] = [null, Infinity]
  for (let node = 0; node * 2 < xy.length; node++) {
    const dx = (xy[2 * node] as number) * scale + x - atX
    const dy = (xy[2 * node + 1] as number) * scale + y - atY
    const distance = Math.hypot(dx, dy) - (radii[node] as number)
    if (distance < reach && distance < best) [found, best] = [node, distance]
  }
  return found
}

/** Pans with one pointer. Zooms with two pointers or the wheel. */
function followInput(canvas: HTMLCanvasElement, view: Pick<View, 'pan' | 'zoom'>): () => void {
  const pointers = new Map<number, { x: number; y: number }>()
  const down = ({ pointerId, offsetX: x, offsetY: y }: PointerEvent) => {
    pointers.set(pointerId, { x, y })
    canvas.setPointerCapture(pointerId)
  }
  const move = ({ pointerId, offsetX: x, offsetY: y }: PointerEvent) => {
    const before = pointers.get(pointerId)
    if (before === undefined) return
    pointers.set(pointerId, { x, y })
    const other = [...pointers].find(([id]) => id !== pointerId)?.[1]
    if (other === undefined) return view.pan(x - before.x, y - before.y)
    const spread = (from: { x: number; y: number }) => Math.hypot(from.x - other.x, from.y - other.y) || 1
    view.zoom(spread({ x, y }) / spread(before), other.x, other.y)
  }
  const up = ({ pointerId }: PointerEvent) => pointers.delete(pointerId)
  const wheel = (event: WheelEvent) => {
    event.preventDefault()
    view.zoom(Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.0015 : 0.04)), event.offsetX, event.offsetY)
  }
  canvas.addEventListener('pointerdown', down)
  canvas.addEventListener('pointermove', move)
  canvas.addEventListener('pointerup', up)
  canvas.addEventListener('pointercancel', up)
  canvas.addEventListener('wheel', wheel, { passive: false })
  return () => {
    canvas.removeEventListener('pointerdown', down)
    canvas.removeEventListener('pointermove', move)
    canvas.removeEventListener('pointerup', up)
    canvas.removeEventListener('pointercancel', up)
    canvas.removeEventListener('wheel', wheel)
  }
}
