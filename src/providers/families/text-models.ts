/**
 * Models that take text alone, by their names at any server. From the data of @earendil-works/pi-ai 1.5.2: no name with
 * images among its 43 providers is like this. A server that is sent an image for such a model refuses the conversation.
 */
export const textModels =
  /^(?!.*(vision|-vl|omni|\dv\b|v4[.p]1-flash|deepseek-flash|glm-5[.p-]3-flash|small-2512)).*(deepseek|gpt-oss|gpt-3\.5|o3-mini|llama-?3([.-][013])?-|codestral|devstral|mixtral|mistral-nemo|glm-[345]|kimi-k2(?![.p-]?[5-9])|grok-code|qwen-?(2(\.5)?|3)-|qwen3\.7-max|qwen-(plus|max)$|minimax-m[12])/i;
