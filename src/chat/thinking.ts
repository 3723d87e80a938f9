/** How much a model thinks before it answers. `default`: as much as its provider has it do. */
export const thinkingLevels = ["default", "off", "low", "medium", "high"] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];
