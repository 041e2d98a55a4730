// The size of a page in CSS pixels.

export const actualSize = ({
  width,
  height,
  device_scale,
}: {
  width: number;
  height: number;
  device_scale: number;
}) => ({
  width: width / (device_scale || 1),
  height: height / (device_scale || 1),
});
