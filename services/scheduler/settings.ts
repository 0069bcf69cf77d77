/** Declares the settings of scheduler. */
import { connectionSettings, databaseSettings } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({ ...connectionSettings, ...databaseSettings })
