/**
 * Sends orders to the worker that paints. The worker paints one picture at a time. Of the orders that arrive meanwhile,
 * only the last one is painted.
 */
import type { Look, Transform } from './paint.ts'
import type { Painted, PaintOrder } from './paint-worker.ts'

export type Painter = {
  /** The last picture. */
  readonly painted: Painted | null
  order: (transform: Transform, look?: Look) => void
  end: () => void
}

/** @param program the address of the worker */
export function openPainter(canvas: HTMLCanvasElement, program: string, onPainted: () => void): Painter {
  const worker = new Worker(program, { type: 'module' })
  let painted: Painted | null = null
  let isPainting = false
  let next: { transform: Transform; look?: Look } | null = null
  const send = () => {
    if (isPainting || next === null || canvas.clientWidth === 0) return
    const { clientWidth: width, clientHeight: height } = canvas
    worker.postMessage({ ...next, width, height, ratio: devicePixelRatio } satisfies PaintOrder)
    isPainting = true
    next = null
  }
  worker.onmessage = ({ data }: { data: Painted }) => {
    painted?.bitmap.close()
    painted = data
    isPainting = false
    onPainted()
    send()
  }
  return {
    get painted() {
      return painted
    },
    order(transform, look = next?.look) {
      if (look === undefined && painted === null && !isPainting) return
      next = { transform, ...(look && { look }) }
      send()
    },
    end: () => worker.terminate(),
  }
}
