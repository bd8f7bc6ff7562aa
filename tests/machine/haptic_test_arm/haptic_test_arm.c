// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test-only comedi board with an arm behind it: analog outputs drive six joints (inertia, damping,
 * stops, a hand's spring), the joints move six 24-bit counters. README.md of this folder says what
 * the test sees of it.
 *
 * Integer arithmetic, as a kernel has no other: angles in nrad, torques in uN.m, inertia in ukg.m^2
 * (for an arm of slides: nm, uN, ukg).
 * The mechanics advance when somebody looks, and ten times a second anyway: in steps of STEP_NS, at
 * most MAX_STEPS at once.
 */
#include <linux/comedi/comedidev.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#define JOINTS 6
#define OUTPUTS 8
#define LINES 16
#define ZERO_CODE 8192
#define MAX_CODE 16383
#define COUNTER_MASK 0xffffff
#define STEP_NS 500000LL
#define MAX_STEPS 400
#define NANO 1000000000LL

static int torque_per_volt[JOINTS] = { 124000, 124000, 124000, 124000, 124000, 124000 };
module_param_array(torque_per_volt, int, NULL, 0644);
MODULE_PARM_DESC(torque_per_volt, "joint torque per volt of output [uN.m/V], signed");
static int counts_per_radian[JOINTS] = { 20372, 20372, 20372, 20372, 20372, 20372 };
module_param_array(counts_per_radian, int, NULL, 0644);
MODULE_PARM_DESC(counts_per_radian, "counts per radian of joint, signed");
static int inertia = 2000;
module_param(inertia, int, 0644);
MODULE_PARM_DESC(inertia, "of a joint [ukg.m^2], > 0");
static int damping = 10000;
module_param(damping, int, 0644);
MODULE_PARM_DESC(damping, "of a joint [uN.m.s/rad]");
static int stop_mrad = 1500;
module_param(stop_mrad, int, 0644);
MODULE_PARM_DESC(stop_mrad, "stops of each joint at +- this angle [mrad]");
static int enable_line;
module_param(enable_line, int, 0644);
MODULE_PARM_DESC(enable_line, "digital line that enables the amplifiers; -1: always on");

static struct class *arm_class;
static struct device *arm_device;
static DEFINE_MUTEX(plug_mutex);
static bool plugged;

/* The arm and its converters outlive the board's plug: unplugging a board does not stop an arm. */
static DEFINE_SPINLOCK(arm_lock);
static struct {
	s64 angle[JOINTS];	/* nrad */
	s64 speed[JOINTS];	/* nrad/s */
	s64 hand[JOINTS];	/* nrad */
	s64 hand_stiffness;	/* uN.m/rad; 0: nobody holds the arm */
	s64 last_ns;
	s32 offset[JOINTS];	/* counter = counts + offset */
	s32 frozen_at[JOINTS];
	u32 frozen, reversed;
	u16 output[OUTPUTS];
	u32 lines_in, lines_out, direction;
	u64 safe_since, unsafe_since, writes;
	bool fail, fail_counters;
} arm;

static bool amplifiers_on(void)
{
	return enable_line < 0 || (arm.lines_out >> enable_line & 1);
}

static bool outputs_are_zero(void)
{
	int i;

	for (i = 0; i < OUTPUTS; i++)
		if (arm.output[i] < ZERO_CODE - 1 || arm.output[i] > ZERO_CODE)
			return false;
	return true;
}

/* After every write: when did the outputs become zero, when did they cease to be. */
static void stamp_outputs(void)
{
	arm.writes++;
	if (outputs_are_zero()) {
		if (!arm.safe_since)
			arm.safe_since = ktime_get_ns();
		arm.unsafe_since = 0;
	} else {
		if (!arm.unsafe_since)
			arm.unsafe_since = ktime_get_ns();
		arm.safe_since = 0;
	}
}

static void step_joint(int i)
{
	const s64 stop = stop_mrad * 1000000LL;
	/* A hand damps what it holds: critically. */
	const s64 drag = damping + 2LL * int_sqrt64(arm.hand_stiffness * inertia);
	s64 torque = 0;

	if (amplifiers_on())	/* 10 V over 8192 codes */
		torque = div_s64((s64)torque_per_volt[i] * 10 * ((s64)arm.output[i] - ZERO_CODE), 8192);
	torque += div_s64(arm.hand_stiffness * div_s64(arm.hand[i] - arm.angle[i], 1000), 1000000);
	/* Implicit in the damping: stable whatever the parameters, v = (v + t/I dt) / (1 + b/I dt). */
	arm.speed[i] += div64_s64(torque * 1000000LL, inertia) * (STEP_NS / 1000) / 1000;
	arm.speed[i] = div64_s64(arm.speed[i] * 1000,
				 1000 + div64_s64(drag * (STEP_NS / 1000), inertia * 1000LL));
	arm.angle[i] += div_s64(arm.speed[i] * (STEP_NS / 1000), 1000000);
	if (arm.angle[i] > stop || arm.angle[i] < -stop) {
		arm.angle[i] = clamp(arm.angle[i], -stop, stop);
		arm.speed[i] = 0;
	}
}

static void advance(void)
{
	s64 now = ktime_get_ns();
	int steps, i;

	if (now - arm.last_ns > MAX_STEPS * STEP_NS)
		arm.last_ns = now - MAX_STEPS * STEP_NS;
	steps = div_s64(now - arm.last_ns, STEP_NS);
	arm.last_ns += steps * STEP_NS;
	while (steps-- > 0)
		for (i = 0; i < JOINTS; i++)
			step_joint(i);
}

static void tick(struct work_struct *work);
static DECLARE_DELAYED_WORK(ticker, tick);

static void tick(struct work_struct *work)
{
	spin_lock(&arm_lock);
	advance();
	spin_unlock(&arm_lock);
	schedule_delayed_work(&ticker, HZ / 10);
}

static s32 counts(int i)
{
	s32 n = (s32)div_s64(div_s64(arm.angle[i], 1000) * counts_per_radian[i], 1000000);

	return arm.reversed >> i & 1 ? -n : n;
}

static u32 counter(int i)
{
	s32 n = arm.frozen >> i & 1 ? arm.frozen_at[i] : counts(i);

	return (u32)(n + arm.offset[i]) & COUNTER_MASK;
}

/* --- comedi --- */

static int ai_read(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
		   unsigned int *data)
{
	int n;

	for (n = 0; n < insn->n; n++)
		data[n] = arm.output[CR_CHAN(insn->chanspec)];
	return arm.fail ? -EIO : insn->n;
}

static int ao_read(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
		   unsigned int *data)
{
	return ai_read(dev, s, insn, data);
}

static int ao_write(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
		    unsigned int *data)
{
	if (arm.fail)
		return -EIO;
	if (!insn->n)
		return 0;
	spin_lock(&arm_lock);
	advance();
	arm.output[CR_CHAN(insn->chanspec)] = data[insn->n - 1];
	stamp_outputs();
	spin_unlock(&arm_lock);
	return insn->n;
}

static int dio_bits(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
		    unsigned int *data)
{
	if (arm.fail)
		return -EIO;
	spin_lock(&arm_lock);
	if (comedi_dio_update_state(s, data)) {
		advance();
		arm.lines_out = s->state & s->io_bits;
		stamp_outputs();
	}
	data[1] = (s->state & s->io_bits) | (arm.lines_in & ~s->io_bits);
	spin_unlock(&arm_lock);
	return insn->n;
}

static int dio_config(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
		      unsigned int *data)
{
	int rc = comedi_dio_insn_config(dev, s, insn, data, 0);

	if (rc)
		return rc;
	spin_lock(&arm_lock);
	arm.direction = s->io_bits;
	spin_unlock(&arm_lock);
	return insn->n;
}

static int counter_read(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
			unsigned int *data)
{
	int n;

	if (arm.fail || arm.fail_counters)
		return -EIO;
	spin_lock(&arm_lock);
	advance();
	for (n = 0; n < insn->n; n++)
		data[n] = counter(CR_CHAN(insn->chanspec));
	spin_unlock(&arm_lock);
	return insn->n;
}

static void preset(int i, u32 value)
{
	spin_lock(&arm_lock);
	advance();
	arm.offset[i] = 0;
	arm.offset[i] = (s32)((value - counter(i)) & COUNTER_MASK);
	spin_unlock(&arm_lock);
}

static int counter_write(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
			 unsigned int *data)
{
	if (arm.fail)
		return -EIO;
	if (insn->n)
		preset(CR_CHAN(insn->chanspec), data[insn->n - 1]);
	return insn->n;
}

/* Reset, arm, mode and sources as a general counter takes them; one value alone is a preset (s626). */
static int counter_config(struct comedi_device *dev, struct comedi_subdevice *s, struct comedi_insn *insn,
			  unsigned int *data)
{
	switch (data[0]) {
	case INSN_CONFIG_RESET:
		preset(CR_CHAN(insn->chanspec), 0);
		return insn->n;
	case INSN_CONFIG_ARM:
	case INSN_CONFIG_DISARM:
	case INSN_CONFIG_SET_COUNTER_MODE:
	case INSN_CONFIG_SET_GATE_SRC:
	case INSN_CONFIG_SET_OTHER_SRC:
	case INSN_CONFIG_GPCT_QUADRATURE_ENCODER:
		return insn->n;
	}
	if (insn->n != 1)
		return -EINVAL;
	preset(CR_CHAN(insn->chanspec), data[0]);
	return insn->n;
}

static int arm_attach(struct comedi_device *dev, unsigned long context)
{
	struct comedi_subdevice *s;
	int rc = comedi_alloc_subdevices(dev, 4);

	if (rc)
		return rc;
	dev->board_name = "haptic_test_arm";

	s = &dev->subdevices[0];
	s->type = COMEDI_SUBD_AI;
	s->subdev_flags = SDF_READABLE | SDF_GROUND;
	s->n_chan = OUTPUTS;
	s->maxdata = MAX_CODE;
	s->range_table = &range_bipolar10;
	s->insn_read = ai_read;

	s = &dev->subdevices[1];
	s->type = COMEDI_SUBD_AO;
	s->subdev_flags = SDF_WRITABLE | SDF_READABLE | SDF_GROUND;
	s->n_chan = OUTPUTS;
	s->maxdata = MAX_CODE;
	s->range_table = &range_bipolar10;
	s->insn_read = ao_read;
	s->insn_write = ao_write;

	s = &dev->subdevices[2];
	s->type = COMEDI_SUBD_DIO;
	s->subdev_flags = SDF_READABLE | SDF_WRITABLE;
	s->n_chan = LINES;
	s->maxdata = 1;
	s->range_table = &range_digital;
	s->insn_bits = dio_bits;
	s->insn_config = dio_config;
	s->io_bits = arm.direction;
	s->state = arm.lines_out;

	s = &dev->subdevices[3];
	s->type = COMEDI_SUBD_COUNTER;
	s->subdev_flags = SDF_READABLE | SDF_WRITABLE | SDF_LSAMPL;
	s->n_chan = JOINTS;
	s->maxdata = COUNTER_MASK;
	s->range_table = &range_unknown;
	s->insn_read = counter_read;
	s->insn_write = counter_write;
	s->insn_config = counter_config;
	return 0;
}

static void arm_detach(struct comedi_device *dev)
{
	/* As the drivers of real boards: the converters keep what they were told last. */
}

static struct comedi_driver arm_driver = {
	.driver_name = "haptic_test_arm",
	.module = THIS_MODULE,
	.auto_attach = arm_attach,
	.detach = arm_detach,
};

/* --- sysfs --- */

static ssize_t outputs_show(struct device *d, struct device_attribute *a, char *buf)
{
	int i, n = 0;

	for (i = 0; i < OUTPUTS; i++)
		n += sysfs_emit_at(buf, n, "%u%c", arm.output[i], i + 1 < OUTPUTS ? ' ' : '\n');
	return n;
}
static DEVICE_ATTR_RO(outputs);

static ssize_t positions_show(struct device *d, struct device_attribute *a, char *buf)
{
	int i, n = 0;

	spin_lock(&arm_lock);
	advance();
	for (i = 0; i < JOINTS; i++)
		n += sysfs_emit_at(buf, n, "%lld%c", arm.angle[i], i + 1 < JOINTS ? ' ' : '\n');
	spin_unlock(&arm_lock);
	return n;
}
static DEVICE_ATTR_RO(positions);

static ssize_t hand_show(struct device *d, struct device_attribute *a, char *buf)
{
	int i, n = 0;

	for (i = 0; i < JOINTS; i++)
		n += sysfs_emit_at(buf, n, "%lld%c", arm.hand[i], i + 1 < JOINTS ? ' ' : '\n');
	return n;
}

static ssize_t hand_store(struct device *d, struct device_attribute *a, const char *buf, size_t count)
{
	s64 h[JOINTS];

	if (sscanf(buf, "%lld %lld %lld %lld %lld %lld", &h[0], &h[1], &h[2], &h[3], &h[4], &h[5]) != JOINTS)
		return -EINVAL;
	spin_lock(&arm_lock);
	advance();
	memcpy(arm.hand, h, sizeof(h));
	spin_unlock(&arm_lock);
	return count;
}
static DEVICE_ATTR_RW(hand);

static ssize_t hand_stiffness_show(struct device *d, struct device_attribute *a, char *buf)
{
	return sysfs_emit(buf, "%lld\n", arm.hand_stiffness);
}

static ssize_t hand_stiffness_store(struct device *d, struct device_attribute *a, const char *buf, size_t count)
{
	s64 v;
	int rc = kstrtos64(buf, 0, &v);

	if (rc)
		return rc;
	if (v < 0 || v > 1000000000LL)
		return -ERANGE;
	spin_lock(&arm_lock);
	advance();
	arm.hand_stiffness = v;
	spin_unlock(&arm_lock);
	return count;
}
static DEVICE_ATTR_RW(hand_stiffness);

#define NUMBER(name, field, format)                                                                       \
	static ssize_t name##_show(struct device *d, struct device_attribute *a, char *buf)               \
	{                                                                                                 \
		return sysfs_emit(buf, format "\n", field);                                               \
	}
#define WRITABLE_NUMBER(name, field, format)                                                              \
	NUMBER(name, field, format)                                                                       \
	static ssize_t name##_store(struct device *d, struct device_attribute *a, const char *buf, size_t count) \
	{                                                                                                 \
		s64 v;                                                                                    \
		int rc = kstrtos64(buf, 0, &v);                                                           \
                                                                                                          \
		if (rc)                                                                                   \
			return rc;                                                                        \
		spin_lock(&arm_lock);                                                                     \
		advance();                                                                                \
		name##_changed(v);                                                                        \
		field = v;                                                                                \
		spin_unlock(&arm_lock);                                                                   \
		return count;                                                                             \
	}                                                                                                 \
	static DEVICE_ATTR_RW(name)

static void digital_in_changed(s64 v) {}
static void reversed_changed(s64 v) {}
static void fail_changed(s64 v) {}
static void fail_counters_changed(s64 v) {}
static void frozen_changed(s64 v)
{
	int i;

	for (i = 0; i < JOINTS; i++)
		arm.frozen_at[i] = counts(i);
}

WRITABLE_NUMBER(digital_in, arm.lines_in, "%u");
WRITABLE_NUMBER(frozen, arm.frozen, "%u");
WRITABLE_NUMBER(reversed, arm.reversed, "%u");
WRITABLE_NUMBER(fail, arm.fail, "%d");
WRITABLE_NUMBER(fail_counters, arm.fail_counters, "%d");
NUMBER(digital_out, arm.lines_out, "%u")
static DEVICE_ATTR_RO(digital_out);
NUMBER(safe_since_ns, arm.safe_since, "%llu")
static DEVICE_ATTR_RO(safe_since_ns);
NUMBER(unsafe_since_ns, arm.unsafe_since, "%llu")
static DEVICE_ATTR_RO(unsafe_since_ns);
NUMBER(writes, arm.writes, "%llu")
static DEVICE_ATTR_RO(writes);
NUMBER(plugged, plugged, "%d")

static ssize_t plugged_store(struct device *d, struct device_attribute *a, const char *buf, size_t count)
{
	bool want;
	int rc = kstrtobool(buf, &want);

	if (rc)
		return rc;
	mutex_lock(&plug_mutex);
	if (want && !plugged)
		rc = comedi_auto_config(arm_device, &arm_driver, 0);
	else if (!want && plugged)
		comedi_auto_unconfig(arm_device);
	if (!rc)
		plugged = want;
	mutex_unlock(&plug_mutex);
	return rc ? rc : count;
}
static DEVICE_ATTR_RW(plugged);

static struct attribute *arm_attrs[] = {
	&dev_attr_outputs.attr, &dev_attr_positions.attr, &dev_attr_hand.attr, &dev_attr_hand_stiffness.attr,
	&dev_attr_digital_in.attr, &dev_attr_digital_out.attr, &dev_attr_frozen.attr, &dev_attr_reversed.attr,
	&dev_attr_fail.attr, &dev_attr_fail_counters.attr, &dev_attr_safe_since_ns.attr, &dev_attr_unsafe_since_ns.attr,
	&dev_attr_writes.attr, &dev_attr_plugged.attr, NULL,
};
ATTRIBUTE_GROUPS(arm);

static int __init arm_init(void)
{
	int i, rc;

	if (inertia <= 0 || damping < 0 || enable_line >= LINES)
		return -EINVAL;
	for (i = 0; i < OUTPUTS; i++)
		arm.output[i] = ZERO_CODE;
	arm.last_ns = ktime_get_ns();
	arm.safe_since = arm.last_ns;

	rc = comedi_driver_register(&arm_driver);
	if (rc)
		return rc;
	arm_class = class_create(THIS_MODULE, "haptic_test_arm");
	if (IS_ERR(arm_class)) {
		rc = PTR_ERR(arm_class);
		goto no_class;
	}
	arm_device = device_create_with_groups(arm_class, NULL, MKDEV(0, 0), NULL, arm_groups, "arm0");
	if (IS_ERR(arm_device)) {
		rc = PTR_ERR(arm_device);
		goto no_device;
	}
	rc = comedi_auto_config(arm_device, &arm_driver, 0);
	if (rc)
		goto no_board;
	plugged = true;
	schedule_delayed_work(&ticker, HZ / 10);
	return 0;

no_board:
	device_unregister(arm_device);
no_device:
	class_destroy(arm_class);
no_class:
	comedi_driver_unregister(&arm_driver);
	return rc;
}

static void __exit arm_exit(void)
{
	cancel_delayed_work_sync(&ticker);
	if (plugged)
		comedi_auto_unconfig(arm_device);
	device_unregister(arm_device);
	class_destroy(arm_class);
	comedi_driver_unregister(&arm_driver);
}

module_init(arm_init);
module_exit(arm_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test-only comedi board with an arm behind it");
